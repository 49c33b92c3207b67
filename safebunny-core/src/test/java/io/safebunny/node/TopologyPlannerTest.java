// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.topology.QueueType;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.Binding;
import io.safebunny.topology.Topology.Exchange;
import io.safebunny.topology.Topology.ExchangeKind;
import io.safebunny.topology.Topology.Queue;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.topology.TopologyOptions.PoisonLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopologyPlannerTest {

    private static final List<Subscription> TWO = List.of(
            new Subscription("OrderPlaced", List.of("orders", "storefront")),
            new Subscription("OrderCancelled", List.of("orders")));

    @Test
    void plansQueuesThatAreConsumedInOrder() {
        TopologyOptions quorum = TopologyOptions.defaults();
        Map<String, Object> arguments = new HashMap<>(
                TopologyPlanner.plan("billing", TWO, quorum).queues().get(0).arguments());
        arguments.put("x-single-active-consumer", true);
        arguments.put("x-delivery-limit", 1_000_000);
        arguments.put("x-consumer-disconnected-timeout", 10_000L);

        Queue ordered = TopologyPlanner.ordered("billing", "billing-OrderPlaced.in", quorum);
        assertThat(ordered).isEqualTo(new Queue("billing-OrderPlaced.in", arguments));
        assertThat(ordered.hasSingleActiveConsumer()).isTrue();
        assertThat(TopologyPlanner.ordered("billing", "in", quorum.withQueueType(QueueType.CLASSIC))
                        .arguments())
                .containsEntry("x-single-active-consumer", true)
                .doesNotContainKeys("x-delivery-limit", "x-consumer-disconnected-timeout");
    }

    @Test
    void plansTheQueuesOfShards() {
        TopologyOptions options = TopologyOptions.defaults();
        Subscription whole = new Subscription("OrderPlaced", List.of("orders"), true);
        Topology before = TopologyPlanner.plan("billing", List.of(whole), options);
        Topology divided = TopologyPlanner.plan("billing", List.of(whole.divided(3)), options);

        assertThat(divided.queues())
                .filteredOn(queue -> !before.queues().contains(queue))
                .containsExactly(
                        TopologyPlanner.ordered("billing", "billing-OrderPlaced.0", options),
                        TopologyPlanner.ordered("billing", "billing-OrderPlaced.1", options),
                        TopologyPlanner.ordered("billing", "billing-OrderPlaced.2", options));
        assertThat(divided.bindings())
                .filteredOn(binding -> !before.bindings().contains(binding))
                .containsExactly(
                        new Binding("safebunny.own", "billing-OrderPlaced.0", "billing-OrderPlaced.0"),
                        new Binding("safebunny.own", "billing-OrderPlaced.1", "billing-OrderPlaced.1"),
                        new Binding("safebunny.own", "billing-OrderPlaced.2", "billing-OrderPlaced.2"));
        assertThat(divided.queues()).containsAll(before.queues());
        assertThat(divided.bindings()).containsAll(before.bindings());
    }

    @Test
    void refusesTheSameQueuesWhetherATypeIsDividedOrNot() {
        Subscription whole = new Subscription("OrderPlaced", List.of("orders"), true);

        assertThat(TopologyPlanner.plan("billing", List.of(whole), TopologyOptions.defaults())
                        .rivals())
                .containsExactly("billing-OrderPlaced");
        assertThat(TopologyPlanner.plan("billing", List.of(whole.divided(3)), TopologyOptions.defaults())
                        .rivals())
                .containsExactly("billing-OrderPlaced");
    }

    @Test
    void plansTheQueuesOfANode() {
        Topology topology = TopologyPlanner.plan("billing", TWO, TopologyOptions.defaults());
        Map<String, Object> consumer = Map.of(
                "x-queue-type", "quorum",
                "x-delivery-limit", 20,
                "x-dead-letter-exchange", "safebunny.poison",
                "x-dead-letter-routing-key", "billing-dead-letters",
                "x-dead-letter-strategy", "at-least-once",
                "x-overflow", "reject-publish");
        Map<String, Object> deadLetters = new HashMap<>(consumer);
        deadLetters.put("x-delivery-limit", 1_000_000);
        deadLetters.put("x-dead-letter-routing-key", "billing");

        assertThat(topology.queues())
                .containsExactly(
                        new Queue("billing-OrderPlaced", consumer),
                        new Queue("billing-OrderCancelled", consumer),
                        new Queue("billing-poison", Map.of("x-queue-type", "quorum", "x-delivery-limit", 1_000_000)),
                        new Queue("billing-dead-letters", deadLetters),
                        new Queue(
                                "billing-poison-archive",
                                Map.of(
                                        "x-queue-type",
                                        "quorum",
                                        "x-delivery-limit",
                                        1_000_000,
                                        "x-message-ttl",
                                        2_592_000_000L)),
                        UNROUTED);
        assertThat(topology.poisonQueue()).isEqualTo("billing-poison");
    }

    @Test
    void bindsAQueueOncePerPublishingNode() {
        Topology topology = TopologyPlanner.plan("billing", TWO, TopologyOptions.defaults());

        assertThat(topology.bindings())
                .containsExactlyInAnyOrder(
                        new Binding("safebunny", "billing-OrderPlaced", "orders-OrderPlaced"),
                        new Binding("safebunny", "billing-OrderPlaced", "storefront-OrderPlaced"),
                        new Binding("safebunny", "billing-OrderCancelled", "orders-OrderCancelled"),
                        new Binding("safebunny.retry", "billing-OrderPlaced", "billing-OrderPlaced"),
                        new Binding("safebunny.retry", "billing-OrderCancelled", "billing-OrderCancelled"),
                        new Binding("safebunny.own", "billing-OrderPlaced", "billing-OrderPlaced"),
                        new Binding("safebunny.own", "billing-OrderCancelled", "billing-OrderCancelled"),
                        new Binding("safebunny.own", "billing-poison", "billing-poison"),
                        new Binding("safebunny.own", "billing-poison-archive", "billing-BunnyArchive"),
                        new Binding("safebunny.due", "billing-OrderPlaced", "orders-OrderPlaced"),
                        new Binding("safebunny.due", "billing-OrderPlaced", "storefront-OrderPlaced"),
                        new Binding("safebunny.due", "billing-OrderCancelled", "orders-OrderCancelled"),
                        new Binding("safebunny.unrouted", "safebunny.unrouted", ""),
                        new Binding("safebunny.poison", "billing-poison", "billing"),
                        new Binding("safebunny.poison", "billing-dead-letters", "billing-dead-letters"));
    }

    private static final Queue UNROUTED =
            new Queue("safebunny.unrouted", Map.of("x-queue-type", "quorum", "x-delivery-limit", 1_000_000));

    @Test
    void plansTheExchanges() {
        assertThat(TopologyPlanner.plan("billing", TWO, TopologyOptions.defaults())
                        .exchanges())
                .containsExactlyInAnyOrder(
                        new Exchange("safebunny", ExchangeKind.TOPIC),
                        new Exchange("safebunny.own", ExchangeKind.TOPIC),
                        new Exchange("safebunny.poison", ExchangeKind.DIRECT),
                        new Exchange("safebunny.unrouted", ExchangeKind.FANOUT),
                        new Exchange("safebunny.retry", ExchangeKind.DIRECT, "safebunny.unrouted"),
                        new Exchange("safebunny.due", ExchangeKind.DIRECT, "safebunny.unrouted"),
                        new Exchange("safebunny.delayed", ExchangeKind.DELAYED));
    }

    @Test
    void plansNoQueuesOfItsOwnForANodeThatOnlyPublishes() {
        Topology topology = TopologyPlanner.plan("storefront", List.of(), TopologyOptions.defaults());

        assertThat(topology.queues()).containsExactly(UNROUTED);
        assertThat(topology.bindings()).containsExactly(new Binding("safebunny.unrouted", "safebunny.unrouted", ""));
        assertThat(topology.exchanges()).hasSize(7);
    }

    @Test
    void namesEverythingAfterThePrefix() {
        TopologyOptions options = TopologyOptions.defaults().withPrefix("sagas");
        Topology topology = TopologyPlanner.plan("billing", TWO, options);

        assertThat(topology.exchanges()).extracting(Exchange::name).allMatch(name -> name.startsWith("sagas"));
        assertThat(topology.bindings()).extracting(Binding::exchange).allMatch(name -> name.startsWith("sagas"));
        assertThat(topology.queues().get(0).arguments()).containsEntry("x-dead-letter-exchange", "sagas.poison");
        assertThat(topology.queues()).extracting(Queue::name).first().isEqualTo("billing-OrderPlaced");
    }

    @Test
    void givesClassicQueuesNoQuorumArguments() {
        TopologyOptions options = TopologyOptions.defaults().withQueueType(QueueType.CLASSIC);

        assertThat(TopologyPlanner.plan("billing", TWO, options).queues())
                .contains(
                        new Queue(
                                "billing-OrderPlaced",
                                Map.of(
                                        "x-dead-letter-exchange", "safebunny.poison",
                                        "x-dead-letter-routing-key", "billing-dead-letters")),
                        new Queue("billing-poison", Map.of()));
    }

    @Test
    void limitsHowLongPoisonIsKept() {
        TopologyOptions options = TopologyOptions.defaults()
                .withDeliveryLimit(7)
                .withPoison(PoisonLimits.defaults().withTtl(Duration.ofDays(14)));
        Topology topology = TopologyPlanner.plan("billing", TWO, options);

        assertThat(topology.queues())
                .filteredOn(queue -> queue.name().equals("billing-poison"))
                .singleElement()
                .satisfies(queue -> assertThat(queue.arguments()).containsEntry("x-message-ttl", 1_209_600_000L));
        assertThat(topology.queues().get(0).arguments())
                .containsEntry("x-delivery-limit", 7)
                .doesNotContainKey("x-message-ttl");
    }

    @Test
    void limitsHowLongTheArchiveIsKept() {
        Topology topology = TopologyPlanner.plan(
                "billing",
                TWO,
                TopologyOptions.defaults()
                        .withQueueType(QueueType.CLASSIC)
                        .withPoison(new PoisonLimits(null, 5L, Duration.ofDays(2))));

        assertThat(topology.queues())
                .filteredOn(topology::isOptional)
                .containsExactly(new Queue("billing-poison-archive", Map.of("x-message-ttl", 172_800_000L)));
    }

    @Test
    void boundsThePoisonQueueSoThatItRefusesWhatDoesNotFit() {
        for (QueueType type : QueueType.values()) {
            TopologyOptions options = TopologyOptions.defaults()
                    .withQueueType(type)
                    .withDeliveryLimit(7)
                    .withPoison(PoisonLimits.defaults().withMaxLength(1_000L));

            assertThat(TopologyPlanner.plan("billing", TWO, options).queues())
                    .filteredOn(queue -> queue.arguments().containsKey("x-max-length"))
                    .singleElement()
                    .satisfies(queue -> {
                        assertThat(queue.name()).isEqualTo("billing-poison");
                        assertThat(queue.arguments())
                                .containsEntry("x-max-length", 1_000L)
                                .containsEntry("x-overflow", "reject-publish");
                    });
        }
    }

    @Test
    void isAValue() {
        assertThat(TopologyPlanner.plan("billing", TWO, TopologyOptions.defaults()))
                .isEqualTo(TopologyPlanner.plan("billing", TWO, TopologyOptions.defaults()));
    }

    @Test
    void describesAllOfIt() {
        Topology topology = TopologyPlanner.plan("billing", TWO, TopologyOptions.defaults());
        String description = topology.describe();

        assertThat(topology.exchanges())
                .allSatisfy(exchange -> assertThat(description).containsPattern("exchange +" + exchange.name() + " "));
        assertThat(topology.queues()).allSatisfy(queue -> {
            assertThat(description).containsPattern("queue +" + queue.name() + " ");
            assertThat(queue.arguments())
                    .allSatisfy((key, value) -> assertThat(description).contains(key + "=" + value));
        });
        assertThat(topology.bindings()).allSatisfy(binding -> assertThat(description)
                .contains(binding.exchange() + " --" + binding.routingKey() + "--> " + binding.queue()));
        assertThat(description.lines()).hasSize(7 + 6 + 15);
    }

    @Test
    void refusesAPrefixTheBrokerReserves() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> TopologyOptions.defaults().withPrefix("amq.sagas"));
    }
}
