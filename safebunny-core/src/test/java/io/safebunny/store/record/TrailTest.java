// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.Wires;
import io.safebunny.message.WireMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a record tells of its message: little, in a form that versions before and after this one carry along. */
class TrailTest {

    private static final Instant AT = Instant.ofEpochMilli(1_900_000_000_123L);

    private final MessageRecord claim = MessageRecord.claim(
                    new RecordKey(Wires.CORRELATION_ID, "id"),
                    "owner",
                    Duration.ofSeconds(30),
                    0,
                    Fingerprint.of(Wires.orderPlaced().envelope()))
            .withTrail(Trail.of("OrderPlaced"));

    private static Trail.Failure failure(int number, @Nullable String text) {
        return new Trail.Failure(
                AT.plusSeconds(number), "billing-1", number, "java.io.IOException", text, AT.plusSeconds(number + 1));
    }

    private static OutboundMessage publication(String id, String correlationId) {
        return new OutboundMessage(
                new WireMessage(
                        id, correlationId, "PaymentCaptured", "billing", 1L, null, null, Map.of(), new byte[] {1}),
                new Route.ToSubscribers("billing-PaymentCaptured"),
                Duration.ZERO);
    }

    /** As a store writes it and reads it again. */
    private static MessageRecord stored(MessageRecord record) {
        return read(record, RecordJson.readSteps(RecordJson.writeSteps(record.content())));
    }

    private static MessageRecord read(MessageRecord record, Map<String, String> content) {
        return new MessageRecord(
                record.key(),
                record.state(),
                record.owner(),
                record.version(),
                record.attempt(),
                record.takeovers(),
                record.lease(),
                record.fingerprint(),
                content,
                record.outgoing(),
                record.listing(),
                record.etag());
    }

    @Test
    void ofAMessageThatWentWellIsSmall() {
        assertThat(RecordJson.writeSteps(claim.content())).isEqualTo("{\"\":\"{\\\"t\\\":\\\"OrderPlaced\\\"}\"}");
        assertThat(stored(claim)).isEqualTo(claim);
    }

    @Test
    void comesBackAsItWasBesideTheSteps() {
        Trail trail = claim.trail()
                .with(List.of(
                        failure(1, "größe 世界 🐇 \"x\" \\ '"),
                        new Trail.Failure(AT, "", 0, "java.lang.StackOverflowError", null, null)));
        MessageRecord record = claim.withSteps(Map.of("charge", "{\"t\":1}")).withTrail(trail);

        assertThat(stored(record)).isEqualTo(record);
        assertThat(stored(record).steps()).containsOnlyKeys("charge");
        assertThat(record.content()).containsOnlyKeys("charge", "");
    }

    @Test
    void keepsTheLatestFiveFailures() {
        Trail trail = claim.trail();
        for (int i = 1; i <= 7; i++) {
            trail = trail.with(List.of(failure(i, "failed")));
        }

        assertThat(trail.failures()).extracting(Trail.Failure::millis).containsExactly(3L, 4L, 5L, 6L, 7L);
        assertThat(trail.with(IntStream.range(10, 20)
                                .mapToObj(i -> failure(i, "failed"))
                                .toList())
                        .failures())
                .extracting(Trail.Failure::millis)
                .containsExactly(15L, 16L, 17L, 18L, 19L);
    }

    @Test
    void quotesTheFirstLineOfATextPrintedAndCut() {
        assertThat(failure(1, "\n  no such card\u001b[31m \nDetail: 4111").text())
                .isEqualTo("no such card?[31m");
        assertThat(failure(1, " \n").text()).isNull();
        String cut = failure(1, "x".repeat(1_000)).text();
        assertThat(cut).hasSize(201).endsWith("…");
        assertThat(failure(1, cut).text()).as("also when it is read again").isEqualTo(cut);
        assertThat(failure(1, "x".repeat(199) + "🐇").text())
                .as("half of a character")
                .hasSize(201)
                .contains("?");
    }

    /** A database that is not Unicode refuses characters that it has not, and with them the record, which would set the message aside. */
    @Test
    void isWrittenInAsciiAndBoundedWhateverItQuotes() {
        Trail worst = claim.trail()
                .with(IntStream.range(0, 9)
                        .mapToObj(i -> new Trail.Failure(
                                AT, "世".repeat(500), Long.MAX_VALUE, "界".repeat(500), "🐇".repeat(500), AT))
                        .toList())
                .sent(
                        IntStream.range(0, 500)
                                .mapToObj(i -> publication("id-" + "x".repeat(125), "y".repeat(64)))
                                .toList(),
                        claim.key());
        String text = RecordJson.writeSteps(claim.withTrail(worst).content());

        assertThat(StandardCharsets.US_ASCII.newEncoder().canEncode(text)).isTrue();
        assertThat(text.length()).isLessThan(60_000);
        assertThat(stored(claim.withTrail(worst)).trail()).isEqualTo(worst);
    }

    @Test
    void tellsWhatWasPublishedOnceItIsConfirmed() {
        MessageRecord completed = claim.completed(List.of(
                publication("a", Wires.CORRELATION_ID),
                publication("b", "another-saga").deliveredAt(AT, Duration.ofHours(1)),
                publication("c", Wires.CORRELATION_ID)));
        assertThat(completed.trail().published())
                .as("they are still to be sent")
                .isEmpty();

        MessageRecord some = completed.dispatchedUpTo(2);
        assertThat(some.state()).isEqualTo(RecordState.COMPLETED);
        assertThat(some.outgoing())
                .extracting(message -> message.message().messageId())
                .containsExactly("c");
        MessageRecord all = some.withSteps(Map.of("charge", "1")).dispatched();

        assertThat(all.trail().published())
                .containsExactly(
                        new Trail.Sent("a", "PaymentCaptured", null, null),
                        new Trail.Sent("b", "PaymentCaptured", "another-saga", AT),
                        new Trail.Sent("c", "PaymentCaptured", null, null));
        assertThat(all.steps()).isEmpty();
        assertThat(stored(all)).isEqualTo(all);
    }

    @Test
    void countsPublicationsBeyondTheFirst() {
        MessageRecord completed = claim.completed(IntStream.range(0, 100)
                .mapToObj(i -> publication("id-" + i, Wires.CORRELATION_ID))
                .toList());
        MessageRecord dispatched =
                completed.dispatchedUpTo(60).dispatchedUpTo(30).dispatched();

        assertThat(dispatched.trail().published()).hasSize(64);
        assertThat(dispatched.trail().published().get(63).id()).isEqualTo("id-63");
        assertThat(dispatched.trail().omitted()).isEqualTo(36);
        assertThat(stored(dispatched)).isEqualTo(dispatched);
    }

    /** For a version that knows no trails it is a step, which nobody asks for. */
    @Test
    void survivesAWriterOfAnEarlierVersion() {
        Trail trail = claim.trail().with(List.of(failure(1, "failed")));
        Map<String, String> asSteps = RecordJson.readSteps(
                RecordJson.writeSteps(claim.withTrail(trail).content()));
        Map<String, String> later = new LinkedHashMap<>(asSteps);
        later.put("charge", "1");

        MessageRecord read = read(claim, RecordJson.readSteps(RecordJson.writeSteps(later)));
        assertThat(read.trail()).isEqualTo(trail);
        assertThat(read.steps()).containsOnlyKeys("charge");
    }

    @Test
    void isReadAsFarAsItIsKnown() {
        MessageRecord read = read(
                claim,
                Map.of(
                        "",
                        "{\"t\":\"OrderPlaced\",\"f\":[[1,\"billing-1\",2,\"java.io.IOException\",null,null,\"new\"]],\"new\":{\"a\":[]}}"));

        assertThat(read.trail())
                .isEqualTo(Trail.of("OrderPlaced")
                        .with(List.of(new Trail.Failure(
                                Instant.ofEpochMilli(1), "billing-1", 2, "java.io.IOException", null, null))));
    }

    /** So that nothing is lost while versions change. */
    @ParameterizedTest
    @ValueSource(
            strings = {"", "7", "{\"ä\":1}", "{\"t\":7}", "{\"t\":\"OrderPlaced\"", "{\"t\":\"a\",\"f\":[[\"new\"]]}"})
    void whatIsNoTrailIsCarriedAlong(String text) {
        MessageRecord read = read(claim, Map.of("", text));

        assertThat(read.trail()).isEqualTo(Trail.NONE);
        assertThat(stored(read).content()).containsEntry("", text);
        assertThat(read.withTrail(claim.trail()).content()).isEqualTo(claim.content());
    }

    @Test
    void staysWithTheRecordThroughAllThatHappensToIt() {
        Trail trail = claim.trail().with(List.of(failure(1, "failed")));
        MessageRecord record = claim.withTrail(trail);

        assertThat(List.of(
                        record.next(RecordState.RELEASED),
                        record.claimedBy("another", Duration.ofSeconds(1), 1, 0),
                        record.edited("editor", record.fingerprint()),
                        record.nextContent(RecordState.UNDONE, "undo", null, Map.of()),
                        record.completed(List.of()),
                        record.dispatched(),
                        record.withAttempt(2).withTakeovers(1).withVersion(7).withEtag("1")))
                .allSatisfy(next -> assertThat(next.trail()).isEqualTo(trail));
        assertThat(record.withTrail(Trail.NONE).isSameWriteAs(record))
                .as("nothing is decided by it")
                .isTrue();
    }
}
