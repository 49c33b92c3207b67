// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A broker that was prepared for an earlier version, without the archive. */
class TopologyDeclarerTest {

    private static final Topology PLANNED = TopologyPlanner.plan(
            "billing", List.of(new Subscription("OrderPlaced", List.of("orders"))), TopologyOptions.defaults());

    /** Of one queue it says something else than of the others, which exist. */
    private static final class Prepared implements Broker {

        private final List<String> asked = new ArrayList<>();
        private final List<String> bound = new ArrayList<>();
        private final String queue;
        private final @Nullable String code;
        private final boolean shapes;

        /** @param code of the refusal */
        Prepared(String queue, @Nullable String code, boolean shapes) {
            this.queue = queue;
            this.code = code;
            this.shapes = shapes;
        }

        @Override
        public boolean exchange(String name, String type, Map<String, Object> arguments) {
            return shapes;
        }

        @Override
        public boolean queue(String name, Map<String, Object> arguments) {
            asked.add(name);
            if (name.equals(queue) && code != null) {
                throw new ConfigurationException(code, "refused", "ask somebody else");
            }
            return shapes;
        }

        @Override
        public void bindQueue(String name, String exchange, String routingKey, Map<String, Object> arguments) {
            bound.add(name);
        }

        @Override
        public void bindExchange(String exchange, String from, String routingKey, Map<String, Object> arguments) {}
    }

    private static void apply(Prepared broker) throws IOException {
        TopologyDeclarer.apply(broker, PLANNED, new LadderDelay(PLANNED.options()));
    }

    @Test
    void aNodeRunsWithoutTheArchiveWhereItMayNotDeclareIt() throws IOException {
        Prepared broker = new Prepared("billing-poison-archive", "SB-1204", false);

        apply(broker);

        assertThat(broker.asked).hasSize(5).endsWith("billing-poison-archive");
        assertThat(broker.bound).isEmpty();
    }

    @Test
    void whatItMayDeclareIsBound() throws IOException {
        Prepared broker = new Prepared("billing-poison-archive", "SB-1204", true);
        apply(broker);
        assertThat(broker.bound)
                .contains("billing-OrderPlaced", "billing-poison", "billing-dead-letters", "safebunny.unrouted")
                .doesNotContain("billing-poison-archive");

        Prepared willing = new Prepared("", null, true);
        apply(willing);
        assertThat(willing.bound).contains("billing-poison-archive");
    }

    @Test
    void anArchiveOfAnotherShapeIsRefusedLikeAnyQueue() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> apply(new Prepared("billing-poison-archive", "SB-1201", true)));
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> apply(new Prepared("billing-poison", "SB-1204", false)));
    }
}
