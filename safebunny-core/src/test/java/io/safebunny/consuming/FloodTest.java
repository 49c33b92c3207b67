// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.message.WireMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What thousands of bad messages cost in the log and in the poison queue. */
class FloodTest {

    private static final int MANY = 5_000;

    private final LogLines log = new LogLines("io.safebunny.poison.queue");
    private final Node node = new Node(Node.ONE_ATTEMPT);

    @AfterEach
    void close() {
        log.close();
    }

    private static Wires numbered(int number) {
        return Wires.orderPlaced().with("message_id", "bad-" + number);
    }

    @Test
    void tellsTheFirstRefusalInFullAndThenCountsThem() {
        for (int i = 1; i <= MANY; i++) {
            node.deliver(numbered(i).withBody("{"));
        }
        assertThat(log.texts()).singleElement().asString().contains("malformed-body", "bad-1,", "Cannot read JSON");

        node.timeline.advance(Duration.ofMinutes(2));

        assertThat(log.texts()).hasSize(2);
        assertThat(log.texts().get(1)).contains("malformed-body", "4,999 more", "60 s", "bad-5000");
        assertThat(log.traced()).containsOnly(false);
        assertThat(node.transport.poisoned()).hasSize(MANY);
        assertThat(node.count("safebunny.poison", "type", "OrderPlaced", "reason", "malformed-body"))
                .isEqualTo(MANY);
    }

    @Test
    void countsEachReasonForItself() {
        for (int i = 1; i <= MANY; i++) {
            node.deliver(numbered(i).withBody("{"));
            node.deliver(numbered(i).with("type", "Unheard" + i));
            node.deliver(numbered(i).with("type", "PaymentCaptured"));
            node.deliver(numbered(i).with("correlation_id", null));
            node.deliver(numbered(i).withBody("x".repeat(1_001)));
        }

        assertThat(log.texts()).hasSize(5);
        assertThat(String.join("\n", log.texts()))
                .contains("malformed-body", "unknown-type", "wrong-queue", "missing-property", "too-large");
    }

    @Test
    void tellsAtTheStopWhatIsCountedByThen() {
        node.deliver(numbered(1).withBody("{"));
        node.deliver(numbered(2).withBody("{"));
        node.deliver(numbered(3).withBody("{"));

        node.stop();

        assertThat(log.texts()).hasSize(2);
        assertThat(log.texts().get(1)).contains("malformed-body", "2 more", "bad-3");
    }

    @Test
    void tellsTheFirstInFullAgainWhenTheFloodIsOver() {
        for (int i = 1; i <= MANY; i++) {
            node.deliver(numbered(i).withBody("{"));
        }
        node.timeline.advance(Duration.ofMinutes(3));
        node.deliver(numbered(MANY + 1).withBody("{"));

        assertThat(log.texts()).hasSize(3);
        assertThat(log.texts().get(2)).contains("bad-5001", "Cannot read JSON");
    }

    @Test
    void tellsOfForgedDeadLettersOnce() {
        for (int i = 1; i <= MANY; i++) {
            node.deliver(
                    new RecordedDelivery("billing-dead-letters", numbered(i).wire()));
        }

        assertThat(log.texts()).singleElement().asString().contains("wrong-queue");
    }

    @Test
    void tellsOfAnotherMessageWithAKnownIdOnce() {
        node.deliver();
        for (int i = 1; i <= MANY; i++) {
            node.deliver(Wires.orderPlaced().withBody("{\"orderId\":\"o-%d\",\"total\":42}".formatted(i + 1)));
        }

        assertThat(log.texts()).singleElement().asString().contains("Another message with a different type or body");
    }

    /** Fewer than open the circuit breaker. */
    private void fail(int times) {
        node.failing(new IllegalStateException("no"));
        for (int i = 1; i <= times; i++) {
            node.deliver(numbered(i));
        }
    }

    @Test
    void tellsTheFirstTwentyFailuresOfAHandlerAndThenCountsThem() {
        fail(90);
        node.stop();

        assertThat(log.texts()).hasSize(21);
        assertThat(log.texts().get(20)).contains("IllegalStateException", "70 more", "bad-90");
        assertThat(log.traced().subList(0, 20)).containsOnly(true);
        assertThat(node.count("safebunny.poison", "type", "OrderPlaced", "reason", "handler-failed"))
                .isEqualTo(90);
    }

    @Test
    void doesNotHideOneKindOfFailureBehindAnother() {
        fail(90);
        node.failing(new NullPointerException("npe")).deliver(numbered(91));

        assertThat(log.texts()).last().asString().contains("NullPointerException: npe", "bad-91");
    }

    @Test
    void tellsOncePerMinuteThatTheBrokerTakesNoPoisonCopies() {
        node.transport.answerAll(RecordingTransport.NACK);
        for (int i = 1; i <= 100; i++) {
            node.deliver(numbered(i).withBody("{"));
        }

        long minutes = node.timeline.elapsed().toMinutes();
        assertThat(minutes).isGreaterThan(30);
        assertThat(log.texts()).hasSizeLessThan((int) (4 * minutes));
    }

    @Test
    void tellsOnceThatACopyIsNotConfirmedAndOnceThatItIs() {
        RecordingTransport.Answer[] refusals = new RecordingTransport.Answer[1_000];
        Arrays.fill(refusals, RecordingTransport.NACK);
        Node retrying = new Node(Node.SIX_ATTEMPTS).failing(new IllegalStateException("no"));
        retrying.transport.answerNext(refusals);
        retrying.deliver();

        assertThat(retrying.transport.returned()).hasSize(1);
        assertThat(retrying.timeline.elapsed()).isGreaterThan(Duration.ofHours(2));
        assertThat(log.texts()).filteredOn(line -> line.contains("confirmed")).hasSizeBetween(1, 2);
    }

    @Test
    void addsLittleToARefusedMessage() {
        node.deliver(Wires.orderPlaced().withBody("x".repeat(150)));

        Map<String, Object> headers = node.transport.poisoned().get(0).message().headers();
        assertThat(headers).doesNotContainKey("x-exception-stacktrace");
        assertThat(bytes(headers)).isLessThan(1_024);
    }

    private static int bytes(Map<String, Object> headers) {
        return headers.entrySet().stream()
                .mapToInt(header ->
                        header.getKey().length() + header.getValue().toString().getBytes(StandardCharsets.UTF_8).length)
                .sum();
    }

    @Test
    void writesOnlyItsOwnQueuesIntoPoisonMessages() {
        Wires forged = Wires.orderPlaced().withHeader("sb-poison-queue", "victim-Payment");
        node.deliver(forged.withBody("{"));
        node.deliver(new RecordedDelivery(
                "billing-dead-letters",
                forged.withHeader("x-death", List.of(Map.of("queue", "victim-Payment", "reason", "rejected")))
                        .wire()));
        node.deliver(new RecordedDelivery(
                "billing-dead-letters",
                forged.withHeader("x-death", List.of(Map.of("queue", "billing-OrderPlaced", "reason", "rejected")))
                        .wire()));
        node.transport.answerNext(RecordingTransport.BROKEN); // only the bare copy can be sent
        node.deliver(forged.withBody("{"));

        assertThat(node.transport.poisoned())
                .extracting(copy -> copy.message().headers().get("sb-poison-queue"))
                .containsExactly(
                        "billing-OrderPlaced", "billing-dead-letters", "billing-OrderPlaced", "billing-OrderPlaced");
    }

    /** What comes with it may be why the other copy cannot be sent. */
    @Test
    void aBareCopyKeepsWhereItsBodyIs() {
        Wires claimed = Wires.orderPlaced()
                .withHeader("sb-version", "none") // why it is set aside
                .withHeader("sb-claim", "files:m-1-0a")
                .withHeader("sb-claim-sha256", "0a\ud800")
                .withHeader("sb-claim-length", 300_000L);
        node.transport.answerNext(RecordingTransport.BROKEN); // only the bare copy can be sent
        node.deliver(claimed.withBody(""));

        assertThat(node.transport.poisoned()).singleElement().satisfies(copy -> assertThat(
                        copy.message().headers())
                .containsEntry("sb-claim", "files:m-1-0a")
                .containsEntry("sb-claim-length", 300_000L)
                .doesNotContainKeys("sb-claim-sha256", "sb-version"));
    }

    @Test
    void carriesNoForgedQueueThroughADelayedRetry() {
        Node retrying = new Node(Node.SIX_ATTEMPTS).failing(new IllegalStateException("no"));
        retrying.deliver(Wires.orderPlaced().withHeader("sb-poison-queue", "victim-Payment"));

        WireMessage copy = retrying.transport.returned().get(0).message();
        assertThat(copy.headers()).doesNotContainKey("sb-poison-queue");
    }
}
