"""The names of the loggers of brokers, as a broker of Kafka 4.4 lists them."""

from __future__ import annotations

from collections.abc import Iterator

ROOT = "root"
LEVELS = ("DEBUG", "ERROR", "FATAL", "INFO", "TRACE", "WARN")

# Packages and their classes. A line that is indented continues the line before.
_TABLE = """
com.yammer.metrics.reporting: JmxReporter
kafka.authorizer: logger
kafka.coordinator.transaction: TransactionCoordinator TransactionMarkerChannelManager
kafka.log: LogCleaner
kafka.network: ConnectionQuotas DataPlaneAcceptor Processor RequestChannel$ SocketServer
kafka.request: logger
kafka.server: BrokerServer ConfigAdminManager ControllerApis ControllerServer KafkaApis
    KafkaConfig$ KafkaRaftServer KafkaRequestHandler ReplicaManager
    ReplicaManager$LogDirFailureHandler SharedServer
kafka.server.metadata: BrokerMetadataPublisher DynamicConfigPublisher
kafka.server.share: ReplicaManagerLogReader ReplicaManagerPartitionMetadataProvider
    ShareCoordinatorMetadataCacheHelperImpl SharePartitionManager
org.apache.kafka.clients: ClientUtils ClusterConnectionStates CommonClientConfigs NetworkClient
org.apache.kafka.common.config: AbstractConfig ConfigDef
org.apache.kafka.common.metrics: JmxReporter Metrics
org.apache.kafka.common.metrics.stats: Percentiles
org.apache.kafka.common.network: ChannelBuilders NetworkReceive SaslChannelBuilder Selector
org.apache.kafka.common.protocol: Errors
org.apache.kafka.common.record.internal: ControlRecordType
org.apache.kafka.common.security: JaasContext
org.apache.kafka.common.security.authenticator: AbstractLogin LoginManager
org.apache.kafka.common.security.oauthbearer: BrokerJwtValidator DefaultJwtRetriever
    OAuthBearerLoginModule OAuthBearerValidatorCallbackHandler
org.apache.kafka.common.security.oauthbearer.internals.secured: ConfigurationUtils
    JaasOptionsUtils RefreshingHttpsJwks RefreshingHttpsJwksVerificationKeyResolver
org.apache.kafka.common.security.oauthbearer.internals.unsecured:
    OAuthBearerUnsecuredLoginCallbackHandler OAuthBearerUnsecuredValidatorCallbackHandler
org.apache.kafka.common.security.ssl: DefaultSslEngineFactory SslFactory
org.apache.kafka.common.utils: Utils
org.apache.kafka.common.utils.internals: AppInfoParser KafkaThread LoggingSignalHandler
    SecurityUtils ThreadUtils
org.apache.kafka.controller: AclControlManager BrokerHeartbeatManager ClientQuotaControlManager
    ClusterControlManager ConfigurationControlManager DelegationTokenControlManager
    EventPerformanceMonitor FeatureControlManager OffsetControlManager PeriodicTaskControlManager
    ProducerIdControlManager QuorumController ReplicationControlManager ScramControlManager
org.apache.kafka.coordinator.common.runtime: CoordinatorLoaderImpl CoordinatorRuntime
    MultiThreadedEventProcessor MultiThreadedEventProcessor$EventProcessorThread
org.apache.kafka.coordinator.group: GroupConfig GroupCoordinatorConfig GroupCoordinatorService
org.apache.kafka.coordinator.group.assignor: SimpleAssignor UniformAssignor
org.apache.kafka.coordinator.group.streams: StreamsGroupTopologyDescriptionManager
org.apache.kafka.coordinator.group.streams.assignor: StickyTaskAssignor
org.apache.kafka.coordinator.share: ShareCoordinatorService
org.apache.kafka.coordinator.transaction: RPCProducerIdManager TxnMarkerQueue
org.apache.kafka.deferred: DeferredEventQueue
org.apache.kafka.image.loader: MetadataBatchLoader MetadataLoader
org.apache.kafka.image.publisher: BrokerRegistrationTracker SnapshotEmitter SnapshotGenerator
org.apache.kafka.metadata: KRaftMetadataCache ListenerInfo
org.apache.kafka.metadata.authorizer: StandardAuthorizerData
org.apache.kafka.metadata.properties: MetaPropertiesEnsemble
org.apache.kafka.metadata.publisher: AclPublisher FeaturesPublisher
org.apache.kafka.network: Request
org.apache.kafka.queue: KafkaEventQueue
org.apache.kafka.raft: CandidateState FileQuorumStateStore KafkaNetworkChannel
    KafkaNetworkChannel$SendThread KafkaRaftClient KafkaRaftClientDriver LeaderState
    ProspectiveState QuorumState TimingWheelExpirationService$ExpiredOperationReaper
    UnattachedState
org.apache.kafka.raft.internals: AddVoterHandler DefaultRequestSender
    KRaftControlRecordStateMachine KafkaRaftLog RecordsIterator RemoveVoterHandler
    UpdateVoterHandler VoterSetHistory
org.apache.kafka.server: AssignmentsManager BrokerFeatures BrokerLifecycleManager
    ClientMetricsManager DefaultAutoTopicCreationManager DelayedActionQueue FetchManager
    FetchSessionCacheShard ForwardingManagerImpl NodeToControllerChannelManagerImpl
    NodeToControllerRequestThread
org.apache.kafka.server.config: ConfigSynonym DynamicProducerStateManagerConfig
org.apache.kafka.server.controller: ControllerRegistrationManager
org.apache.kafka.server.fault: LoggingFaultHandler ProcessTerminatingFaultHandler
org.apache.kafka.server.logger: Log4jControllerRegistration LoggingController
org.apache.kafka.server.metrics: LinuxIoMetricsCollector
org.apache.kafka.server.network: EndpointReadyFutures
org.apache.kafka.server.partition: DefaultAlterPartitionManager
org.apache.kafka.server.purgatory: DelayedOperationPurgatory
    DelayedOperationPurgatory$ExpiredOperationReaper
org.apache.kafka.server.quota: ClientQuotaManager ClientQuotaManager$ThrottledChannelReaper
    ControllerMutationQuotaManager ReplicationQuotaManager
org.apache.kafka.server.share.dlq: DefaultShareGroupDLQManager ShareGroupDLQStateManager
    ShareGroupDLQStateManager$SendThread
org.apache.kafka.server.share.persister: DefaultStatePersister PersisterStateManager$SendThread
org.apache.kafka.server.transaction: AddPartitionsToTxnManager
org.apache.kafka.server.util: FileLock KafkaScheduler NetworkPartitionMetadataClient
org.apache.kafka.server.util.timer: SystemTimerReaper$Reaper
org.apache.kafka.snapshot: Snapshots
org.apache.kafka.storage.internals.checkpoint: CheckpointFileWithFailureHandler
    CleanShutdownFileHandler
org.apache.kafka.storage.internals.epoch: LeaderEpochFileCache
org.apache.kafka.storage.internals.log: AbstractIndex Cleaner LocalLog LogCleaner
    LogCleaner$CleanerThread LogDirFailureChannel LogLoader LogManager LogSegment OffsetIndex
    ProducerStateManager TimeIndex UnifiedLog
org.apache.kafka.storage.internals.utils: Throttler
org.apache.kafka.storage.log.metrics: BrokerTopicStats
org.apache.kafka.timeline: SnapshotRegistry
org.jose4j.http: Get
org.jose4j.jwk: HttpsJwks JsonWebKeySet
state.change: logger
"""


def _names() -> Iterator[str]:
    yield ROOT
    yield "kafka"
    for line in _TABLE.replace("\n    ", " ").strip().split("\n"):
        package, _, classes = line.partition(": ")
        yield from (f"{package}.{name}" for name in classes.split())


LOGGERS = tuple(_names())
