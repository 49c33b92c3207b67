// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.order;

import io.safebunny.handler.Sharding;
import io.safebunny.proof.rows.Row;
import io.safebunny.proof.rows.Rows;
import io.safebunny.proof.rows.lanes.LanesRow;
import io.safebunny.proof.rows.lanes.OrderedThroughputRow;
import io.safebunny.proof.store.StoreKind;
import io.safebunny.proof.store.StoreServers;
import java.util.List;

/** The rows of {@code bin/order-proof}. Confined to one thread. */
final class OrderRows implements Rows {

    private static final List<Integer> RESIZED = List.of(4, 16, 8);

    private final StoreServers servers = new StoreServers();

    @Override
    public List<Row> all() {
        return List.of(
                new Row(
                        "lanes",
                        "1,000 keys of 100 messages, PostgreSQL, three instances of which one is killed, or frozen beyond heartbeat and lease, every 5 s; 1 % poison, 4 % retried: 0 inverted, 0 lost, 0 doubled",
                        effort -> new LanesRow(servers.address(StoreKind.POSTGRESQL, true), 1_000, 100, 100, 60)
                                .find(effort)),
                new Row(
                        "lanes-cosmos",
                        "100 keys of 20 messages, Cosmos DB, otherwise the same: 0 inverted, 0 lost, each publishes once",
                        effort -> new LanesRow(servers.address(StoreKind.COSMOS, false), 100, 20, 20, 20).find(effort)),
                new Row(
                        "shards",
                        "1,000 keys of 100 messages of three publishers, PostgreSQL, otherwise as lanes, while 4, 16 and 8 shards are rolled out: 0 inverted, 0 lost, 0 doubled, divided among 8 in the end",
                        effort -> new LanesRow(servers.address(StoreKind.POSTGRESQL, true), 1_000, 100, 60, 60, RESIZED)
                                .find(effort)),
                new Row("shards-mysql", "100 keys of 60 messages, MySQL, otherwise as shards", effort -> divided(
                                StoreKind.MYSQL)
                        .find(effort)),
                new Row("shards-mariadb", "100 keys of 60 messages, MariaDB, otherwise as shards", effort -> divided(
                                StoreKind.MARIADB)
                        .find(effort)),
                new Row(
                        "shards-cosmos",
                        "100 keys of 20 messages, Cosmos DB, otherwise as shards: 0 inverted, 0 lost, each publishes once",
                        effort -> new LanesRow(servers.address(StoreKind.COSMOS, false), 100, 20, 20, 20, RESIZED)
                                .find(effort)),
                new Row(
                        "lanes-throughput",
                        "1,000 keys, PostgreSQL: messages in order at least 0.7 times as fast as without",
                        effort -> new OrderedThroughputRow(servers.address(StoreKind.POSTGRESQL, true), null, 0.7)
                                .find(effort)),
                new Row(
                        "shards-throughput",
                        "1,000 keys in 16 shards, which one instance has, PostgreSQL: messages in order at least 0.5 times as fast as without",
                        effort -> new OrderedThroughputRow(
                                        servers.address(StoreKind.POSTGRESQL, true), Sharding.into(16), 0.5)
                                .find(effort)),
                new Row(
                        "priorities",
                        "100 urgent messages behind 100,000 others fail twice: each attempt overtakes 99 % of those that wait, from RabbitMQ 4.0",
                        PrioritiesRow::find),
                new Row(
                        "deadlines",
                        "10,000 messages that expire, PostgreSQL, three instances whose clocks are 2 s ahead, right and 2 s behind and which are killed again and again: each has one fate; replayed, each is handled once",
                        effort -> new DeadlinesRow(servers.address(StoreKind.POSTGRESQL, true)).find(effort)),
                new Row(
                        "rates",
                        "500 per 10 s, PostgreSQL, three instances of which one is killed in the middle: at most 101 % begin in any 10 s, and 95 % of the rate are used",
                        effort -> new RatesRow(servers.address(StoreKind.POSTGRESQL, true)).find(effort)));
    }

    private LanesRow divided(StoreKind store) {
        return new LanesRow(servers.address(store, true), 100, 60, 20, 40, RESIZED);
    }

    @Override
    public void close() {
        servers.close();
    }
}
