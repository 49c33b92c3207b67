// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.transport.ControlChannel;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** How the instances of a node notify each other. */
interface ControlRules {

    TransportBench bench();

    @Test
    default void whatIsToldReachesEachInstanceOfTheNodeOnceAndNoOtherNode() {
        TestNode billing = bench().publisher("billing");
        Instance here = Instance.of(billing);
        Instance there = Instance.of(bench().instanceOf(billing));
        Instance elsewhere = Instance.of(bench().publisher("orders"));
        if (!bench().connectsInstances()) {
            assertThat(here.channel.problem()).as("why nobody is reached").isNotNull();
            bench().awaitSuccess(here.tell("to nobody"));
            return;
        }
        for (Instance instance : List.of(here, there, elsewhere)) {
            bench().await().until(() -> instance.channel.problem() == null);
        }

        bench().awaitSuccess(here.tell("from here"));
        bench().awaitSuccess(there.tell("from there"));
        bench().awaitSuccess(elsewhere.tell("from elsewhere"));
        for (Instance instance : List.of(here, there)) {
            bench().await().until(() -> instance.heard.containsAll(List.of("from here", "from there")));
        }
        bench().await().until(() -> elsewhere.heard.contains("from elsewhere"));

        assertThat(here.heard).containsExactlyInAnyOrder("from here", "from there");
        assertThat(there.heard).containsExactlyInAnyOrder("from here", "from there");
        assertThat(elsewhere.heard).containsExactly("from elsewhere");
    }

    /** An instance that listens. */
    final class Instance {
        private final Queue<String> heard = new ConcurrentLinkedQueue<>();
        private final ControlChannel channel;

        private Instance(TestNode node) {
            channel = node.transport().control(node.name(), message -> heard.add(new String(message, UTF_8)));
        }

        static Instance of(TestNode node) {
            return new Instance(node);
        }

        CompletableFuture<Void> tell(String message) {
            return channel.tell(message.getBytes(UTF_8));
        }
    }
}
