// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.command;

import io.safebunny.samples.orders.billing.BillingNode;
import io.safebunny.samples.orders.notifications.NotificationsNode;
import io.safebunny.samples.orders.orchestrated.billing.OrchestratedBillingNode;
import io.safebunny.samples.orders.orchestrated.orders.OrchestratedOrdersNode;
import io.safebunny.samples.orders.orchestrated.shipping.OrchestratedShippingNode;
import io.safebunny.samples.orders.orders.OrdersNode;
import io.safebunny.samples.orders.shipping.ShippingNode;
import io.safebunny.samples.orders.storefront.StorefrontNode;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The applications of the saga, in starting order: publishers after their receivers. */
public enum Node {
    NOTIFICATIONS(NotificationsNode.class, NotificationsNode.class),
    SHIPPING(ShippingNode.class, OrchestratedShippingNode.class),
    BILLING(BillingNode.class, OrchestratedBillingNode.class),
    ORDERS(OrdersNode.class, OrchestratedOrdersNode.class),
    STOREFRONT(StorefrontNode.class, StorefrontNode.class);

    private final Class<?> choreographed;
    private final Class<?> orchestrated;

    Node(Class<?> choreographed, Class<?> orchestrated) {
        this.choreographed = choreographed;
        this.orchestrated = orchestrated;
    }

    public Class<?> application(boolean withOrchestrator) {
        return withOrchestrator ? orchestrated : choreographed;
    }

    /** The node's name on the wire. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Node> named(String name) {
        return Arrays.stream(values())
                .filter(node -> node.wireName().equals(name))
                .findFirst();
    }

    static String names() {
        return Arrays.stream(values()).map(Node::wireName).collect(Collectors.joining(", "));
    }
}
