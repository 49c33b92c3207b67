// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.order;

import io.safebunny.proof.rows.Row;
import io.safebunny.proof.rows.Rows;
import io.safebunny.proof.store.StoreKind;
import io.safebunny.proof.store.StoreServers;
import java.util.List;

/** The rows of {@code bin/order-proof}. Confined to one thread. */
final class OrderRows implements Rows {

    private final StoreServers servers = new StoreServers();

    @Override
    public List<Row> all() {
        return List.of(
                new Row(
                        "priorities",
                        "100 urgent messages behind 100,000 others fail twice: each attempt overtakes 99 % of those that wait, from RabbitMQ 4.0",
                        PrioritiesRow::find),
                new Row(
                        "deadlines",
                        "10,000 messages that expire, PostgreSQL, three instances whose clocks are 2 s ahead, right and 2 s behind and which are killed again and again: each has one fate; replayed, each is handled once",
                        effort -> new DeadlinesRow(servers.address(StoreKind.POSTGRESQL, true)).find(effort)));
    }

    @Override
    public void close() {
        servers.close();
    }
}
