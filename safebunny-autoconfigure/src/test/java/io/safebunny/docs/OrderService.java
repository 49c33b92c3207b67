// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import io.safebunny.Bunny;
import org.springframework.transaction.annotation.Transactional;

/** The listing of docs/outbox.md. */
class OrderService {

    /** What the application stores. */
    record Order(String id) {}

    /** Where it does. */
    interface Orders {
        void save(Order order);
    }

    /** What it tells the others. */
    record OrderPlaced(String id) {}

    private final Orders orders;
    private final Bunny bunny;

    OrderService(Orders orders, Bunny bunny) {
        this.orders = orders;
        this.bunny = bunny;
    }

    @Transactional
    public void order(Order order) {
        orders.save(order);
        bunny.publish(new OrderPlaced(order.id()));
    }
}
