"""Listeners with TLS and SASL in front of the embedded cluster's brokers.

librdkafka's mock brokers support only TCP without TLS. `_listeners` accepts the clients, lets them
log in (`_sasl`), and relays what they send to the brokers and back. If there is an authorizer, ACLs
decide what the brokers receive (`_enforcement`). A cluster without `Security` has none of this.
"""
