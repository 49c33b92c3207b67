// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.node.SafeBunnyParts;
import io.safebunny.operations.NodeCondition;
import io.safebunny.operations.OrderCondition;
import io.safebunny.order.draining.Lanes;
import io.safebunny.order.sharding.Shards;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.transport.Transport;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Judges the parts of a node by what it already knows, so asking is cheap. */
final class NodeConditions {

    private NodeConditions() {}

    /** By name of the part, in the order in which an operator looks at them. */
    static Map<String, Supplier<NodeCondition>> of(SafeBunnyEngine engine, SafeBunnyParts node) {
        Transport transport = node.transport();
        String name = node.options().node();
        MessageStore store = node.store();
        Map<String, Supplier<NodeCondition>> parts = new LinkedHashMap<>();
        parts.put("broker", () -> NodeCondition.broker(transport.status(), name, nameOf(transport)));
        parts.put("poison", () -> poison(engine));
        parts.put("publications", () -> NodeCondition.publications(engine.waiting()));
        Outbox outbox = node.outbox();
        if (outbox != null) {
            parts.put(
                    "outbox",
                    () -> NodeCondition.outbox(
                            outbox.waiting(),
                            transport.status(),
                            node.timeline().now()));
        }
        parts.put("breakers", () -> NodeCondition.breakers(node.breakers().statuses()));
        if (store != null) {
            parts.put("store", () -> NodeCondition.store(store.getClass().getSimpleName(), engine.storeOutage()));
            parts.put("sagas", () -> NodeCondition.sagas(engine.get(SagaSupervision.class)));
            Lanes lanes = engine.get(Lanes.class);
            Shards shards = engine.get(Shards.class);
            parts.put("order", () -> OrderCondition.of(lanes.isOrdered(), lanes.counted(), shards.problems()));
        }
        return parts;
    }

    private static NodeCondition poison(SafeBunnyEngine engine) {
        Map<String, String> held = new TreeMap<>();
        engine.held().forEach((queue, why) -> held.put(queue, why.toString()));
        return NodeCondition.poison(held, held.isEmpty() ? null : engine.blockedQueue());
    }

    /** {@code rabbit}, {@code memory}, or the class name of the application's own transport without "Transport". */
    private static String nameOf(Transport transport) {
        String name = transport.getClass().getSimpleName().replace("Transport", "");
        return name.toLowerCase(Locale.ROOT);
    }
}
