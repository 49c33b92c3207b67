// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.node.TopologyPlanner;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.Binding;
import io.safebunny.topology.TopologyOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the management API tells, and what it means for each object. */
class MarkingTest {

    private static final String QUEUE = "shop-OrderPlaced";
    private static final String ARCHIVE = "shop-poison-archive";
    private static final Subscription DIVIDED = new Subscription("Shipped", List.of("desk"), true, 2);
    private static final String OLD = "shop-Old";

    private final Topology topology = TopologyPlanner.plan(
            "shop", List.of(new Subscription("OrderPlaced", List.of("desk")), DIVIDED), TopologyOptions.defaults());
    private final Marking marking = new Marking(topology);

    /** @param text with apostrophes for quotes */
    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text.replace('\'', '"'));
    }

    private Topology.Exchange exchange(String name) {
        return topology.exchanges().stream()
                .filter(exchange -> exchange.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private Topology.Queue queue(String name) {
        return topology.queues().stream()
                .filter(queue -> queue.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** As the API has a queue that was declared as planned. */
    private JsonNode asPlanned(String name, String figures) {
        JsonNode arguments = JsonMapper.shared().valueToTree(queue(name).arguments());
        return json("{'name':'%s','type':'quorum','arguments':%s%s}".formatted(name, arguments, figures));
    }

    /** The bindings that are planned, but for one, and another one. */
    private JsonNode bindings(String name, @Nullable Binding absent, String... others) {
        List<Map<String, String>> all = new ArrayList<>();
        all.add(Map.of("source", "", "routing_key", name));
        topology.bindings().stream()
                .filter(binding -> binding.queue().equals(name) && !binding.equals(absent))
                .forEach(binding -> all.add(Map.of("source", binding.exchange(), "routing_key", binding.routingKey())));
        for (String other : others) {
            all.add(Map.of("source", "safebunny", "routing_key", other));
        }
        return JsonMapper.shared().valueToTree(all);
    }

    private Mark markOf(Binding binding) {
        return marking.result()
                .bindings()
                .getOrDefault(binding, Judgement.UNKNOWN)
                .mark();
    }

    @Test
    void whatIsThereIsAsPlannedAndTellsHowFullItIs() {
        topology.exchanges().forEach(exchange -> marking.exchange(exchange, found(exchange)));
        topology.queues()
                .forEach(queue -> marking.queue(
                        queue,
                        asPlanned(queue.name(), ",'messages_ready':3,'messages_unacknowledged':2,'consumers':1"),
                        bindings(queue.name(), null)));
        TopologyReport report = marking.result();

        assertThat(report.findings()).isEmpty();
        assertThat(report.exchanges().values())
                .hasSameSizeAs(topology.exchanges())
                .extracting(Judgement::mark)
                .containsOnly(Mark.AS_PLANNED);
        assertThat(report.queues().values()).hasSameSizeAs(topology.queues()).allSatisfy(judgement -> {
            assertThat(judgement.mark()).isEqualTo(Mark.AS_PLANNED);
            assertThat(judgement.depth()).isEqualTo(new QueueDepth(3, 2, 1));
        });
        assertThat(report.bindings()).containsOnlyKeys(topology.bindings());
        assertThat(report.bindings().values()).extracting(Judgement::mark).containsOnly(Mark.AS_PLANNED);
    }

    private static JsonNode found(Topology.Exchange exchange) {
        return json("{'type':'%s','arguments':{%s}}"
                .formatted(
                        exchange.kind() == Topology.ExchangeKind.DELAYED
                                ? "headers"
                                : exchange.kind().name().toLowerCase(Locale.ROOT),
                        exchange.alternate() == null ? "" : "'alternate-exchange':'" + exchange.alternate() + "'"));
    }

    @Test
    void aMissingBindingAndOneTooManyAreMarkedAndTheOthersAreNot() {
        Binding absent = new Binding("safebunny", QUEUE, "desk-OrderPlaced");
        Binding foreign = new Binding("safebunny", QUEUE, "old-OrderPlaced");
        marking.queue(queue(QUEUE), asPlanned(QUEUE, ""), bindings(QUEUE, absent, "old-OrderPlaced"));

        assertThat(markOf(absent)).isEqualTo(Mark.MISSING);
        assertThat(markOf(foreign)).isEqualTo(Mark.UNPLANNED);
        assertThat(markOf(new Binding("safebunny.retry", QUEUE, QUEUE))).isEqualTo(Mark.AS_PLANNED);
        assertThat(markOf(new Binding("safebunny.own", ARCHIVE, "shop-BunnyArchive")))
                .as("of a queue that was not looked at")
                .isEqualTo(Mark.UNKNOWN);
        assertThat(marking.result().queues().get(QUEUE)).as("no figures yet").isEqualTo(Judgement.of(Mark.AS_PLANNED));
        assertThat(marking.result().findings())
                .satisfiesExactlyInAnyOrder(
                        finding -> assertThat(finding)
                                .contains("not bound to exchange 'safebunny' with key 'desk-OrderPlaced'"),
                        finding -> assertThat(finding)
                                .contains("also bound to exchange 'safebunny' with key 'old-OrderPlaced'"));
    }

    @Test
    void aMissingQueueIsToldOnceAndItsBindingsAreMarkedWithIt() {
        marking.queue(queue(QUEUE), null, null);
        marking.queue(queue(ARCHIVE), null, null);

        assertThat(marking.result().queues().values())
                .extracting(Judgement::mark)
                .containsExactly(Mark.MISSING, Mark.MISSING);
        assertThat(markOf(new Binding("safebunny", QUEUE, "desk-OrderPlaced"))).isEqualTo(Mark.MISSING);
        assertThat(marking.result().findings())
                .singleElement()
                .asString()
                .contains("'%s' is missing, so its".formatted(QUEUE));
        assertThat(marking.result().remarks())
                .as("an optional queue")
                .singleElement()
                .asString()
                .contains("'%s' is missing: the node runs without it".formatted(ARCHIVE));
        marking.add(queue(QUEUE), "held too long");
        assertThat(marking.result().findingsBeyondAmqp()).containsExactly("held too long");
    }

    /** Which would be told once for each queue. */
    @Test
    void bindingsOfAMissingExchangeAreToldOnceWithIt() {
        Binding absent = new Binding("safebunny", QUEUE, "desk-OrderPlaced");
        marking.exchange(exchange("safebunny"), null);
        marking.queue(queue(QUEUE), asPlanned(QUEUE, ""), bindings(QUEUE, absent));

        assertThat(markOf(absent)).isEqualTo(Mark.MISSING);
        assertThat(marking.result().findings()).singleElement().asString().contains("Exchange 'safebunny' is missing");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "safebunny,         {'type':'fanout'},                                                             DIFFERENT",
                "safebunny,         {'type':'topic'},                                                              AS_PLANNED",
                "safebunny.delayed, {'type':'x-delayed-message'},                                                  AS_PLANNED",
                "safebunny.retry,   {'type':'direct'},                                                             DIFFERENT",
                "safebunny.retry,   {'type':'direct';'arguments':{'alternate-exchange':'other'}},                  DIFFERENT",
                "safebunny.retry,   {'type':'direct';'arguments':{'alternate-exchange':'safebunny.unrouted'}},     AS_PLANNED",
                "safebunny.retry,   {'type':'direct';'policy':'theirs'},                                           AS_PLANNED",
            })
    void anExchangeIsJudgedByItsTypeAndByWhereItPassesWhatItCannotRoute(String name, String found, Mark mark) {
        marking.exchange(exchange(name), json(found.replace(';', ',')));

        assertThat(marking.result().exchanges().get(name)).satisfies(judgement -> {
            assertThat(judgement.mark()).isEqualTo(mark);
            assertThat(judgement.findings()).hasSize(mark == Mark.DIFFERENT ? 1 : 0);
        });
    }

    @Test
    void aQueueOfAnotherTypeIsDifferentAndSoIsOneWithAFindingOfItsHandler() {
        marking.queue(queue(QUEUE), json("{'type':'classic','arguments':[]}"), bindings(QUEUE, null));
        marking.queue(queue(ARCHIVE), asPlanned(ARCHIVE, ""), bindings(ARCHIVE, null));
        marking.add(queue(ARCHIVE), "held too long");
        marking.add(queue("shop-poison"), "held too long, perhaps");

        assertThat(Objects.requireNonNull(marking.result().queues().get(QUEUE)).mark())
                .isEqualTo(Mark.DIFFERENT);
        assertThat(marking.result().queues().get(ARCHIVE)).isEqualTo(Judgement.of(Mark.DIFFERENT, "held too long"));
        assertThat(marking.result().queues().get("shop-poison"))
                .as("not compared")
                .isEqualTo(Judgement.of(Mark.UNKNOWN, "held too long, perhaps"));
    }

    /** In an exchange to which all nodes bind what they consume. */
    @Test
    void queuesOfThisNodeThatAreNotPlannedAreFoundByTheirBindings() {
        JsonNode bound = json("[%s,%s,%s,%s,%s,%s,{'destination_type':'exchange','destination':'shop-Exchange'}]"
                .formatted(
                        boundTo(OLD),
                        boundTo(OLD),
                        boundTo(QUEUE),
                        boundTo("shop-eu-Old"),
                        boundTo("other-Old"),
                        boundTo("shop-poison-archive")));

        assertThat(marking.others(bound)).containsExactly(OLD);
    }

    /** A node that divides the type into two, where there have been three. */
    @Test
    void shardsThatAreNotPlannedAreFoundAndToldAsSuch() {
        Marking divided = new Marking(TopologyPlanner.plan(
                "shop",
                List.of(new Subscription("OrderPlaced", List.of("desk"), true, 2)),
                TopologyOptions.defaults()));
        JsonNode bound = json("[%s,%s,%s,%s,%s]"
                .formatted(
                        boundTo(QUEUE + ".in"),
                        boundTo(QUEUE + ".0"),
                        boundTo(QUEUE + ".1"),
                        boundTo(QUEUE + ".2"),
                        boundTo("shop-eu-OrderPlaced.2")));

        assertThat(divided.others(bound)).containsExactly(QUEUE + ".2");
        divided.other(QUEUE + ".2", figures(7, 0), json("[]"));
        assertThat(divided.result().remarks())
                .singleElement()
                .asString()
                .contains("does not have this shard of OrderPlaced, and nobody consumes the queue now");
    }

    private static String boundTo(String queue) {
        return "{'destination_type':'queue','destination':'%s'}".formatted(queue);
    }

    @Test
    void aQueueThatNobodyConsumesMayBeLeftOverAndNobodyIsWarnedOfIt() {
        marking.other(OLD, figures(7, 0), json("[{'source':'safebunny','routing_key':'desk-Old'}]"));

        assertThat(marking.result().queues().get(OLD)).satisfies(judgement -> {
            assertThat(judgement.mark()).isEqualTo(Mark.UNPLANNED);
            assertThat(judgement.depth()).isEqualTo(new QueueDepth(7, 0, 0));
        });
        assertThat(markOf(new Binding("safebunny", OLD, "desk-Old"))).isEqualTo(Mark.UNPLANNED);
        assertThat(marking.result().findings()).isEmpty();
        assertThat(marking.result().remarks()).singleElement().asString().contains("does not handle Old", "may also");
    }

    @Test
    void aQueueThatAnotherVersionConsumesIsNotLeftOver() {
        marking.other(OLD, figures(7, 1), json("[]"));
        marking.other(OLD, null, null);

        assertThat(marking.result().queues()).isEmpty();
    }

    private static JsonNode figures(int ready, int consumers) {
        return json("{'messages_ready':%s,'messages_unacknowledged':0,'consumers':%s}".formatted(ready, consumers));
    }

    /** Somebody has declared it anew, and no policy does it. */
    @Test
    void anArgumentThatDropsMessagesIsDifferent() {
        JsonNode arguments = JsonMapper.shared().valueToTree(queue(QUEUE).arguments());
        String some = arguments.toString().replace('"', '\'').replace("}", ",'x-message-ttl':1000,'x-expires':5}");
        marking.queue(queue(QUEUE), json("{'type':'quorum','arguments':%s}".formatted(some)), bindings(QUEUE, null));

        assertThat(Objects.requireNonNull(marking.result().queues().get(QUEUE)).mark())
                .isEqualTo(Mark.DIFFERENT);
        assertThat(marking.result().findings())
                .satisfiesExactlyInAnyOrder(
                        finding -> assertThat(finding).contains("the argument x-message-ttl=1000: messages that wait"),
                        finding -> assertThat(finding).contains("the argument x-expires=5: the queue is deleted"));
    }

    @Test
    void whyItCouldNotBeComparedIsAFinding() {
        marking.broker(Judgement.of(Mark.DIFFERENT, "old broker"));
        marking.broker(Judgement.harmless(Mark.UNKNOWN, null, "not listed"));
        marking.refuse("nobody answers");

        assertThat(marking.result().refusal()).isEqualTo("nobody answers");
        assertThat(marking.result().findings())
                .containsExactly("Policies and bindings are not checked: nobody answers", "old broker");
        assertThat(marking.result().remarks()).containsExactly("not listed");
    }

    @Test
    void aShardInWhichMessagesWaitAndToWhichNobodyListensIsToldWhileInstancesRun() {
        assertThat(unheard(3, 7, 0).remarks())
                .singleElement()
                .asString()
                .contains("'shop-Shipped.1'", "7 messages wait in this shard of Shipped", "listen");
        assertThat(unheard(3, 7, 0).findings()).isEmpty();
        assertThat(unheard(3, 0, 0).remarks()).isEmpty();
        assertThat(unheard(3, 7, 1).remarks()).isEmpty();
        assertThat(unheard(0, 7, 0).remarks()).isEmpty();
    }

    /** @param instances that consume what is divided */
    private TopologyReport unheard(int instances, int ready, int consumers) {
        Marking divided = new Marking(topology);
        found(divided, "shop-Shipped.in", 0, instances);
        found(divided, "shop-Shipped.0", 5, 1);
        found(divided, "shop-Shipped.1", ready, consumers);
        divided.unheard(DIVIDED);
        return divided.result();
    }

    private void found(Marking divided, String name, int ready, int consumers) {
        String figures = ",'messages_ready':%s,'messages_unacknowledged':0,'consumers':%s".formatted(ready, consumers);
        divided.queue(queue(name), asPlanned(name, figures), bindings(name, null));
    }
}
