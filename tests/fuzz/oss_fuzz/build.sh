#!/bin/bash -eu
# OSS-Fuzz runs this script in the source folder. The script builds the extension with the sanitizer
# in $SANITIZER, and creates one program in $OUT for each target.

case ${SANITIZER:-address} in
address | undefined) export SANITIZE="$SANITIZER,fuzzer-no-link" ;;
esac

python3 -m pip install . fastavro protobuf pyarrow pytest

for target in arrow columns configuration encoders headers json protobuf; do
    # The harness takes its target from its name.
    cp tests/fuzz/oss_fuzz/fuzz_target.py "$WORK/fuzz_$target.py"
    compile_python_fuzzer "$WORK/fuzz_$target.py" --paths "$PWD" \
        --collect-submodules confluent_kafka --collect-submodules tests.fuzz
done
