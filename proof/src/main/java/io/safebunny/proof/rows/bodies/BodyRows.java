// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.proof.rows.Row;
import io.safebunny.proof.rows.Rows;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.StoreKind;
import io.safebunny.proof.store.StoreServers;
import java.util.List;

/** The rows of {@code bin/bodies-proof}. Confined to one thread. */
final class BodyRows implements Rows {

    private final StoreServers servers = new StoreServers();

    @Override
    public List<Row> all() {
        return List.of(
                new Row(
                        "salts",
                        "one message, sent 1,000 times by ten publishers with a salt each time, and 100 times at ten levels of gzip, PostgreSQL: handled once each, nothing set aside",
                        effort -> new SaltsRow(store()).find()),
                new Row(
                        "identity",
                        "encrypted bodies under another identity, one property changed in each: no handler runs, all are set aside as undecryptable",
                        effort -> new IdentityRow(store()).find()),
                new Row(
                        "rotations",
                        "20 rotations of a key within 100,000 messages, PostgreSQL, three instances of which one is killed again and again: 0 lost, 0 doubled, 0 set aside; keys are opened for instances, not for messages",
                        effort -> new RotationsRow(store()).find(effort)),
                new Row(
                        "keys-away",
                        "the key service does not answer for 5 minutes: no attempt is spent, other types go on, and 5 s after it is back the first message is handled",
                        effort -> new KeysAwayRow(store()).find(effort)),
                new Row(
                        "versions",
                        "three versions of a type roll over three instances, publishers first, within 10,000 messages, PostgreSQL: 0 lost, 0 doubled, 0 set aside",
                        effort -> new VersionsRow(store()).find(effort)),
                new Row(
                        "bombs",
                        "bodies of 1 MB that would be 10 GB in all, sent to an instance with a heap of 160 MB: all are set aside, and it goes on",
                        effort -> new BombsRow(store()).find()),
                new Row(
                        "claims",
                        "20,000 payments and their receipts, encrypted, all bodies in a folder, PostgreSQL, three instances of which one is killed again and again: 0 lost, 0 doubled, 0 set aside",
                        effort -> new ClaimsRow(store()).find(effort)),
                new Row(
                        "erasure",
                        "10,000 messages of 1,000 people in queues, delayed, scheduled, in the outbox, in the poison queue and in states of sagas, PostgreSQL; 100 people are erased: nothing of theirs is read, nothing of others is lost or doubled",
                        effort -> new ErasureRow(store()).find(effort)),
                new Row(
                        "encrypted-throughput",
                        "bodies of 1 KB, PostgreSQL: encrypted at least 0.9 times as fast as plain",
                        effort -> new EncryptedThroughputRow(store()).find(effort)));
    }

    private StoreAddress store() {
        return servers.address(StoreKind.POSTGRESQL, true);
    }

    @Override
    public void close() {
        servers.close();
    }
}
