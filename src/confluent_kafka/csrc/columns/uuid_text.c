#include "columns/uuid_text.h"

static int
hexadecimal(uint8_t digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    digit |= 0x20;
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

static bool
is_dash(int place)
{
    return place == 8 || place == 13 || place == 18 || place == 23;
}

bool
uuid_text_read(const uint8_t *text, size_t size, uint8_t *value)
{
    if (size != UUID_TEXT_SIZE) {
        return false;
    }
    for (int from = 0, to = 0; from < UUID_TEXT_SIZE; from += 2) {
        if (is_dash(from) && text[from++] != '-') {
            return false;
        }
        int high = hexadecimal(text[from]), low = hexadecimal(text[from + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        value[to++] = (uint8_t)(high << 4 | low);
    }
    return true;
}

void
uuid_text_write(const uint8_t *value, char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (int from = 0, to = 0; from < UUID_SIZE; from++) {
        if (is_dash(to)) {
            text[to++] = '-';
        }
        text[to++] = digits[value[from] >> 4];
        text[to++] = digits[value[from] & 0xf];
    }
}
