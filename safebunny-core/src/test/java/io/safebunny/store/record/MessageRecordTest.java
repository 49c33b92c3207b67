// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.MisuseException;
import io.safebunny.fixture.Wires;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageRecordTest {

    private static final List<String> NAMES =
            IntStream.range(0, 20).mapToObj(i -> "step-" + (i * 7) % 20).toList();

    private final Map<String, String> steps = new LinkedHashMap<>();
    private final MessageRecord claim = MessageRecord.claim(
            new RecordKey("saga", "id"),
            "owner",
            Duration.ofSeconds(30),
            0,
            Fingerprint.of(Wires.orderPlaced().envelope()));

    @Test
    void keepsStepsInTheOrderTheyWereDoneAlsoWhenStored() {
        NAMES.forEach(name -> steps.put(name, "1"));
        MessageRecord record = claim.withSteps(steps).next(RecordState.CLAIMED);

        assertThat(record.steps().keySet()).containsExactlyElementsOf(NAMES);
        assertThat(RecordJson.readSteps(RecordJson.writeSteps(record.steps())).keySet())
                .containsExactlyElementsOf(NAMES);
    }

    @Test
    void aStepWithoutAResultIsRefused() {
        steps.put("charge", missing());

        assertThatThrownBy(() -> claim.withSteps(steps)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void nobodyChangesItsSteps() {
        steps.put("charge", "1");
        MessageRecord record = claim.withSteps(steps);
        steps.put("ship", "1");

        assertThat(record.steps()).containsOnlyKeys("charge");
        assertThatThrownBy(() -> record.steps().put("ship", "1")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void onlyACompanionOfTheWholePartitionCanBeListed() {
        Listing listing = new Listing("Order", "RUNNING", Instant.EPOCH, null);
        RecordKey shared = RecordKey.companion("saga", "state");

        assertThat(MessageRecord.companion(shared, "owner", listing, Map.of()).listing())
                .isEqualTo(listing);
        assertThat(claim.key().companion("steps").isShared()).isFalse();
        for (RecordKey key : List.of(claim.key(), claim.key().companion("steps"))) {
            assertThatThrownBy(() -> MessageRecord.companion(key, "owner", listing, Map.of()))
                    .isInstanceOf(MisuseException.class)
                    .hasMessageContaining(key.messageId());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Order Saga", "Order'", "Bestellüng", "a/b"})
    void aKindOfOtherCharactersIsRefused(String kind) {
        assertThatThrownBy(() -> new Listing(kind, "RUNNING", Instant.EPOCH, null))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("kind has");
    }

    @Test
    void timesOfAListingAreCutToMilliseconds() {
        Instant time = Instant.ofEpochSecond(7, 123_999_999);

        Listing listing = new Listing("Order", "RUNNING", time, time);

        assertThat(listing.createdAt()).isEqualTo(Instant.ofEpochMilli(7_123));
        assertThat(listing.dueAt()).isEqualTo(Instant.ofEpochMilli(7_123));
    }

    @SuppressWarnings("NullAway") // what a store not written in Java may hand over
    private static String missing() {
        return null;
    }
}
