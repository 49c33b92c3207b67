// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import io.safebunny.message.WireMessage;
import io.safebunny.spi.store.Fingerprint;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/** Records for tests. */
final class Records {

    private Records() {}

    static RecordKey key() {
        return new RecordKey(UUID.randomUUID().toString(), UUID.randomUUID().toString());
    }

    static MessageRecord claim(RecordKey key, String owner) {
        return MessageRecord.claim(
                key, owner, Duration.ofSeconds(30), 0, new Fingerprint(Fingerprint.SHA256, 4711, 13));
    }

    /** So that it does not fit its column. */
    static MessageRecord withLongOwner(MessageRecord record) {
        return new MessageRecord(
                record.key(),
                record.state(),
                "o".repeat(1_000),
                record.version(),
                record.attempt(),
                record.takeovers(),
                record.lease(),
                record.fingerprint(),
                record.steps(),
                record.outgoing(),
                record.etag());
    }

    static OutboundMessage message(byte[] body) {
        return new OutboundMessage(
                new WireMessage("id-1", "order-1", "OrderPlaced", "shop", 1L, "application/json", null, Map.of(), body),
                new Route.Publication("shop-OrderPlaced"),
                Duration.ZERO);
    }
}
