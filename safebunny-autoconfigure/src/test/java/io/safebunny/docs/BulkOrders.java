// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.docs.GuideListingsTest.OrderPlaced;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

@Component
class BulkOrders {

    record OrderStored(String orderId) {}

    private final JdbcTemplate sql;

    BulkOrders(JdbcTemplate sql) {
        this.sql = sql;
    }

    @BunnyHandler(from = "orders", batchSize = "100")
    void on(List<OrderPlaced> orders, List<MessageContext> contexts) {
        sql.batchUpdate("insert into orders values (?, ?)", orders, 100, (insert, order) -> {
            insert.setString(1, order.orderId());
            insert.setLong(2, order.totalCents());
        });
        for (int i = 0; i < orders.size(); i++) {
            contexts.get(i).publisher().publish(new OrderStored(orders.get(i).orderId()));
        }
    }
}
