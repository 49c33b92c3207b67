// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.Published;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.UnroutableException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.store.MessageStore;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is measured, with tags that no sender chooses, and from the start on. */
class MetersTest {

    private final ObservationRegistry observations = ObservationRegistry.create();
    private final MessageStore store = new MemoryMessageStore(VirtualTimeline.skipping(), Node.RETENTION);

    private Node node(@Nullable MessageStore remembering) {
        observations
                .observationConfig()
                .observationHandler(context -> false); // a registry without any counts as absent
        Node node = new Node(remembering, Node.SIX_ATTEMPTS, observations);
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(node.meters));
        return node;
    }

    private static Timer timer(Node node, String name, String... tags) {
        return Objects.requireNonNull(
                node.meters.find(name).tags(tags).timer(), () -> name + " with " + String.join(", ", tags));
    }

    private static long count(Node node, String name, String... tags) {
        return timer(node, name, tags).count();
    }

    private static double seconds(Node node, String name, String... tags) {
        return timer(node, name, tags).totalTime(TimeUnit.SECONDS);
    }

    private static Set<String> names(Node node) {
        return node.meters.getMeters().stream()
                .map(meter -> meter.getId().getName())
                .collect(Collectors.toSet());
    }

    @Test
    void areThereFromTheStartAndSayNothing() {
        Node node = node(store);

        assertThat(names(node))
                .contains(
                        "safebunny.handler",
                        "safebunny.handler.active",
                        "safebunny.publish",
                        "safebunny.publish.active",
                        "safebunny.queue.time",
                        "safebunny.critical.time",
                        "safebunny.body.size",
                        "safebunny.retries",
                        "safebunny.poison",
                        "safebunny.poison.depth",
                        "safebunny.replay",
                        "safebunny.dedup",
                        "safebunny.paused",
                        "safebunny.store",
                        "safebunny.sender.inflight");
        assertThat(node.meters.getMeters().stream().filter(meter -> !isTheReadOfWhatIsPaused(meter.getId())))
                .allSatisfy(meter -> meter.measure().forEach(measured -> assertThat(measured.getValue())
                        .as(meter.getId().toString())
                        .satisfiesAnyOf(value -> assertThat(value).isZero(), value -> assertThat(value)
                                .isNaN())));
    }

    /** A node that starts asks its store whether a type is paused. */
    private static boolean isTheReadOfWhatIsPaused(Meter.Id meter) {
        return meter.getName().equals("safebunny.store")
                && "find".equals(meter.getTag("operation"))
                && "ok".equals(meter.getTag("outcome"));
    }

    /** Else they would be asked of Prometheus and not be there, or stand beside others of the same name. */
    @Test
    void keepTheirTagsWhateverHappens() {
        Node node = node(store);
        node.handler = (payload, context) -> {
            Published unused = node.bunny().publish(new OrderPlaced("o-2", 1));
        };
        node.deliver();
        node.deliver();
        node.failing(new IOException("failed")).deliver(Wires.orderPlaced().with("message_id", "another"));
        node.deliver(Wires.orderPlaced().with("type", "Anything"));

        assertThat(node.meters.getMeters().stream()
                        .collect(Collectors.groupingBy(meter -> meter.getId().getName())))
                .allSatisfy((name, same) -> assertThat(
                                same.stream().map(MetersTest::tags).collect(Collectors.toSet()))
                        .as(name)
                        .hasSize(1));
        assertThat(node.meters.getMeters().toString()).doesNotContain("Anything");
    }

    private static Set<String> tags(Meter meter) {
        return meter.getId().getTags().stream().map(tag -> tag.getKey()).collect(Collectors.toSet());
    }

    @Test
    void howAHandlingEnded() {
        Node node = node(store);
        node.deliver();
        node.deliver();

        assertThat(count(node, "safebunny.handler", "type", "OrderPlaced", "outcome", "handled", "error", "none"))
                .isEqualTo(1);
        assertThat(count(node, "safebunny.handler", "type", "OrderPlaced", "outcome", "duplicate", "error", "none"))
                .isEqualTo(1);

        node.failing(new IOException("failed")).deliver(Wires.orderPlaced().with("message_id", "another"));
        node.deliver(node.transport.returned().get(0));
        node.breakers.open(Duration.ofMinutes(1));
        node.deliver(Wires.orderPlaced().with("message_id", "a-third"));

        assertThat(count(
                        node, "safebunny.handler", "type", "OrderPlaced", "outcome", "retried", "error", "IOException"))
                .isEqualTo(1);
        assertThat(count(
                        node,
                        "safebunny.handler",
                        "type",
                        "OrderPlaced",
                        "outcome",
                        "poisoned",
                        "error",
                        "IOException"))
                .isEqualTo(1);
        assertThat(count(node, "safebunny.handler", "type", "OrderPlaced", "outcome", "returned", "error", "none"))
                .isEqualTo(1);
        assertThat(node.meters
                        .get("safebunny.paused")
                        .tags("type", "OrderPlaced", "cause", "breaker")
                        .gauge()
                        .value())
                .isEqualTo(1);
    }

    @Test
    void theQueueTimeOfFirstAttemptsAndTheCriticalTimeOfWhatIsHandled() {
        Node node = node(store).failing(new IOException("failed"));
        node.timeline.advance(Duration.ofSeconds(3));
        node.deliver();
        node.handler = (payload, context) -> {};
        node.timeline.advance(Duration.ofSeconds(10));
        node.deliver(node.transport.returned().get(0));

        assertThat(count(node, "safebunny.queue.time", "type", "OrderPlaced")).isEqualTo(1);
        assertThat(seconds(node, "safebunny.queue.time", "type", "OrderPlaced")).isEqualTo(3);
        assertThat(count(node, "safebunny.critical.time", "type", "OrderPlaced"))
                .isEqualTo(1);
        assertThat(seconds(node, "safebunny.critical.time", "type", "OrderPlaced"))
                .isGreaterThanOrEqualTo(13);
    }

    @Test
    void theSizeOfEachBodyOnce() {
        Node node = node(store).failing(new IOException("failed"));
        byte[] body = Wires.orderPlaced().wire().body();
        node.deliver();
        node.handler = (payload, context) -> {
            Published unused = node.bunny().publish(new OrderPlaced("o-2", 1));
        };
        node.deliver(node.transport.returned().get(0));

        DistributionSummary consumed = size(node, "consumed");
        assertThat(consumed.count()).isEqualTo(1);
        assertThat(consumed.totalAmount()).isEqualTo(body.length);
        DistributionSummary published = size(node, "published");
        assertThat(published.count()).isEqualTo(1);
        assertThat(published.totalAmount())
                .isEqualTo(new JsonMessageSerializer().serialize(new OrderPlaced("o-2", 1)).length);
    }

    private static DistributionSummary size(Node node, String direction) {
        return node.meters
                .get("safebunny.body.size")
                .tags("type", "OrderPlaced", "direction", direction)
                .summary();
    }

    @Test
    void aSendersClockThatIsAheadCountsAsNoTime() {
        Node node = node(store);
        node.deliver(Wires.orderPlaced()
                .withHeader("sb-sent-at", VirtualTimeline.START.plusSeconds(60).toEpochMilli()));

        assertThat(count(node, "safebunny.queue.time", "type", "OrderPlaced")).isEqualTo(1);
        assertThat(seconds(node, "safebunny.queue.time", "type", "OrderPlaced")).isZero();
        assertThat(seconds(node, "safebunny.critical.time", "type", "OrderPlaced"))
                .isZero();
    }

    @Test
    void publicationsOfAHandlerUntilTheyAreConfirmed() {
        confirmsAfterTheHandler(store);
    }

    @Test
    void publicationsOfAHandlerWithoutAStoreToo() {
        confirmsAfterTheHandler(null);
    }

    private void confirmsAfterTheHandler(@Nullable MessageStore remembering) {
        Node node = node(remembering);
        node.transport.answerAll(message -> {
            CompletableFuture<Void> confirmed = new CompletableFuture<>();
            assertThat(node.meters.get("safebunny.sender.inflight").gauge().value())
                    .isEqualTo(1);
            node.timeline.schedule(Duration.ofSeconds(2), () -> confirmed.complete(null));
            return confirmed;
        });
        node.handler = (payload, context) -> {
            Published unused = node.bunny().publish(new OrderPlaced("o-2", 1));
            assertThat(count(node, "safebunny.publish", "outcome", "confirmed", "type", "none"))
                    .isZero();
        };
        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(count(node, "safebunny.publish", "type", "OrderPlaced", "outcome", "confirmed", "error", "none"))
                .isEqualTo(1);
        assertThat(seconds(node, "safebunny.handler", "type", "OrderPlaced", "outcome", "handled"))
                .as("real time")
                .isLessThan(2);
        assertThat(names(node)).contains("safebunny.create");
        assertThat(node.meters.get("safebunny.sender.inflight").gauge().value()).isZero();
    }

    @Test
    void aPublicationThatNobodyIsBoundFor() {
        Node node = node(store);
        node.transport.answerAll(RecordingTransport.UNROUTABLE);

        assertThatExceptionOfType(UnroutableException.class)
                .isThrownBy(() -> node.bunny().publish(new OrderPlaced("o-2", 1)));
        assertThat(count(
                        node,
                        "safebunny.publish",
                        "type",
                        "OrderPlaced",
                        "outcome",
                        "refused",
                        "error",
                        "UnroutableException"))
                .isEqualTo(1);
    }

    @Test
    void theOperationsOfTheStore() {
        Node node = node(store);
        node.deliver();
        node.deliver();

        assertThat(count(node, "safebunny.store", "operation", "create", "outcome", "ok"))
                .isEqualTo(1);
        assertThat(count(node, "safebunny.store", "operation", "create", "outcome", "conflict"))
                .isEqualTo(1);
        assertThat(count(node, "safebunny.store", "operation", "replace", "outcome", "ok"))
                .isPositive();
    }
}
