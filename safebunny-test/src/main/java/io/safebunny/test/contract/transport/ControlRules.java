// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlAddress.Everyone;
import io.safebunny.transport.ControlAddress.OfInstance;
import io.safebunny.transport.ControlAddress.OfNode;
import io.safebunny.transport.ControlChannel;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** How running instances reach each other. Everyone includes those of other tests on a shared broker, so messages carry a mark. */
interface ControlRules {

    TransportBench bench();

    @Test
    default void whatIsToldReachesEachInstanceOfTheNodeOnceAndNoOtherNode() {
        TestNode billing = bench().publisher("billing");
        Instance here = Instance.of(billing);
        Instance there = Instance.of(bench().instanceOf(billing));
        Instance elsewhere = Instance.of(bench().publisher("orders"));
        if (!bench().connectsInstances()) {
            assertThat(here.channel.problem(here.node))
                    .as("why nobody is reached")
                    .isNotNull();
            bench().awaitSuccess(here.tell(here.node, "to nobody"));
            return;
        }
        awaitJoined(here, there, elsewhere);

        bench().awaitSuccess(here.tell(here.node, "from here"));
        bench().awaitSuccess(there.tell(there.node, "from there"));
        bench().awaitSuccess(elsewhere.tell(elsewhere.node, "from elsewhere"));
        for (Instance instance : List.of(here, there)) {
            bench().await().until(() -> instance.atNode.containsAll(List.of("from here", "from there")));
        }
        bench().await().until(() -> elsewhere.atNode.contains("from elsewhere"));

        assertThat(here.atNode).containsExactlyInAnyOrder("from here", "from there");
        assertThat(there.atNode).containsExactlyInAnyOrder("from here", "from there");
        assertThat(elsewhere.atNode).containsExactly("from elsewhere");
        assertThat(here.atItself).isEmpty();
    }

    @Test
    default void whatIsToldEveryoneReachesEachInstanceOfEachNodeOnce() {
        if (!bench().connectsInstances()) {
            return;
        }
        String mark = UUID.randomUUID().toString();
        TestNode billing = bench().publisher("billing");
        Instance here = Instance.of(billing);
        Instance there = Instance.of(bench().instanceOf(billing));
        Instance elsewhere = Instance.of(bench().publisher("orders"));
        List<Instance> all = List.of(here, there, elsewhere);
        awaitJoined(here, there, elsewhere);

        bench().awaitSuccess(here.tell(new Everyone(), mark + " first"));
        bench().awaitSuccess(elsewhere.tell(new Everyone(), mark + " last"));
        for (Instance instance : all) {
            bench().await().until(() -> instance.marked(mark).containsAll(List.of(mark + " first", mark + " last")));
        }

        assertThat(all).allSatisfy(instance -> {
            assertThat(instance.marked(mark)).containsExactlyInAnyOrder(mark + " first", mark + " last");
            assertThat(instance.atNode).isEmpty();
            assertThat(instance.atItself).isEmpty();
        });
    }

    @Test
    default void whatIsToldOneInstanceReachesItAlone() {
        if (!bench().connectsInstances()) {
            return;
        }
        TestNode billing = bench().publisher("billing");
        Instance here = Instance.of(billing);
        Instance there = Instance.of(bench().instanceOf(billing));
        Instance elsewhere = Instance.of(bench().publisher("orders"));
        awaitJoined(here, there, elsewhere);

        bench().awaitSuccess(elsewhere.tell(there.itself, "to there"));
        bench().awaitSuccess(there.tell(here.itself, "to here"));
        bench().awaitSuccess(here.tell(elsewhere.itself, "to elsewhere"));
        for (Instance instance : List.of(here, there, elsewhere)) {
            bench().await().until(() -> !instance.atItself.isEmpty());
        }

        assertThat(here.atItself).containsExactly("to here");
        assertThat(there.atItself).containsExactly("to there");
        assertThat(elsewhere.atItself).containsExactly("to elsewhere");
        assertThat(List.of(here, there, elsewhere))
                .allSatisfy(instance -> assertThat(instance.atNode).isEmpty());
    }

    @Test
    default void anAddressAtWhichNobodyListensSilencesNoOther() {
        if (!bench().connectsInstances()) {
            return;
        }
        Instance here = Instance.of(bench().publisher("billing"));
        awaitJoined(here);

        bench().awaitSuccess(here.tell(new OfInstance(Instance.randomId()), "to nobody"));
        bench().awaitSuccess(here.tell(new OfNode("nobody-" + Instance.randomId()), "to nobody"));
        assertThat(here.channel.problem(here.node)).isNull();
        bench().awaitSuccess(here.tell(here.node, "to here"));

        bench().await().until(() -> here.atNode.contains("to here"));
    }

    private void awaitJoined(Instance... instances) {
        for (Instance instance : instances) {
            for (ControlAddress address : List.of(instance.node, new Everyone(), instance.itself)) {
                bench().await().until(() -> instance.channel.problem(address) == null);
            }
        }
    }

    /** An instance that listens. */
    final class Instance {
        private final Queue<String> atNode = new ConcurrentLinkedQueue<>();
        private final Queue<String> atAll = new ConcurrentLinkedQueue<>();
        private final Queue<String> atItself = new ConcurrentLinkedQueue<>();
        private final ControlAddress node;
        private final ControlAddress itself = new OfInstance(randomId());
        private final ControlChannel channel;

        private Instance(TestNode node) {
            this.node = new OfNode(node.name());
            channel = node.transport()
                    .control(Map.of(
                            this.node,
                            message -> atNode.add(new String(message, UTF_8)),
                            new Everyone(),
                            message -> atAll.add(new String(message, UTF_8)),
                            itself,
                            message -> atItself.add(new String(message, UTF_8))));
        }

        static Instance of(TestNode node) {
            return new Instance(node);
        }

        private static String randomId() {
            return UUID.randomUUID().toString().substring(0, 8);
        }

        private List<String> marked(String mark) {
            return atAll.stream().filter(message -> message.startsWith(mark)).toList();
        }

        CompletableFuture<Void> tell(ControlAddress to, String message) {
            return channel.tell(to, message.getBytes(UTF_8));
        }
    }
}
