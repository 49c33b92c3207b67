// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.assertSame;
import static io.safebunny.test.contract.store.StoreBench.claim;
import static io.safebunny.test.contract.store.StoreBench.found;
import static io.safebunny.test.contract.store.StoreBench.key;
import static io.safebunny.test.contract.store.StoreBench.replaced;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A record can only be replaced by its own next version: this is the fence. */
interface ReplaceRules {

    StoreBench bench();

    @Test
    default void refusesAVersionThatIsNotTheNext() {
        MessageRecord first = bench().created();
        MessageRecord second = bench().replaced(first.claimedBy("second", Duration.ofSeconds(20), 1, 1));
        MessageRecord same = first.next(RecordState.COMPLETED);
        MessageRecord muchNewer = same.next(RecordState.COMPLETED).next(RecordState.COMPLETED);

        assertThat(bench().store().replace(first)).as("older").isNull();
        assertThat(bench().store().replace(same)).as("equal").isNull();
        assertThat(bench().store().replace(muchNewer)).as("much newer").isNull();
        bench().assertStored(second);
    }

    @Test
    default void refusesWhatIsDerivedFromAnOutdatedFind() {
        MessageRecord outdated = found(bench().another(), bench().created().key());
        MessageRecord winner = replaced(bench().another(), outdated.next(RecordState.RELEASED));

        assertThat(bench().store().replace(outdated.next(RecordState.COMPLETED)))
                .isNull();
        bench().assertStored(winner);
    }

    @Test
    default void letsOneOfManyConcurrentReplacesWin() throws Exception {
        MessageRecord created = bench().created();

        List<Optional<MessageRecord>> answers = bench().race(racer -> Optional.ofNullable(
                racer.store().replace(created.claimedBy(racer.owner(), Duration.ofSeconds(30), 0, 1))));

        List<MessageRecord> winners = answers.stream().flatMap(Optional::stream).toList();
        assertThat(winners).as("those who were told that they replaced it").hasSize(1);
        bench().assertStored(winners.get(0));
    }

    @Test
    default void createsNothingByReplacing() {
        MessageRecord missing = claim(key(), "first");

        assertThat(bench().store().replace(missing.next(RecordState.COMPLETED))).isNull();
        bench().assertNothingStored(missing.key());
    }

    @Test
    default void goesOnFromWhatAnyCallReturned() {
        MessageRecord created = bench().created();
        MessageRecord claimedAgain = bench().store().create(claim(created.key(), "second"));
        MessageRecord afterCreate = bench().replaced(claimedAgain.claimedBy("second", Duration.ofSeconds(30), 0, 1));
        MessageRecord afterReplace = bench().replaced(afterCreate.next(RecordState.RELEASED));
        MessageRecord afterFind = replaced(
                bench().another(), found(bench().another(), created.key()).next(RecordState.CLAIMED));
        MessageRecord completed = replaced(bench().another(), afterFind.next(RecordState.COMPLETED));

        assertThat(afterReplace.version()).isEqualTo(3);
        bench().await().untilAsserted(() -> assertThat(bench().another().findCompleted(Duration.ZERO, 10))
                .hasSize(1));
        MessageRecord listed =
                bench().another().findCompleted(Duration.ZERO, 10).get(0);
        bench().assertStored(replaced(bench().another(), listed.next(RecordState.DISPATCHED)));
        assertThat(listed.version()).isEqualTo(completed.version());
    }

    @Test
    default void findsWhatAnotherInstanceWroteLast() {
        MessageRecord created = bench().created();
        assertSame(bench().store().find(created.key()), created);

        MessageRecord written = replaced(
                bench().another(), found(bench().another(), created.key()).next(RecordState.COMPLETED));

        assertSame(bench().store().find(created.key()), written);
    }

    @Test
    default void replacesAllThatAreCurrentAndNoOthers() {
        MessageRecord outdated = bench().created();
        MessageRecord newer = bench().replaced(outdated.claimedBy("second", Duration.ofSeconds(30), 0, 1));
        MessageRecord missing = claim(key(), "first");
        MessageRecord before = bench().created();
        MessageRecord after = bench().created();

        bench().store()
                .replaceAll(List.of(
                        before.next(RecordState.RELEASED),
                        outdated.next(RecordState.COMPLETED),
                        missing.next(RecordState.COMPLETED),
                        after.next(RecordState.COMPLETED)));

        bench().assertStored(before.next(RecordState.RELEASED));
        bench().assertStored(newer);
        bench().assertNothingStored(missing.key());
        bench().assertStored(after.next(RecordState.COMPLETED));
    }

    @Test
    default void replacesAllOfMessagesAndCompanions() {
        MessageRecord message = bench().created();
        RecordKey shared = RecordKey.companion(message.key().correlationId(), "saga");
        MessageRecord companion = bench().store().create(claim(shared, "first"));

        bench().store().replaceAll(List.of(companion.next(RecordState.RELEASED), message.next(RecordState.COMPLETED)));

        bench().assertStored(companion.next(RecordState.RELEASED));
        bench().assertStored(message.next(RecordState.COMPLETED));
    }

    @Test
    default void replacesAllOfManyRecords() {
        List<MessageRecord> completed = bench().created(RecordState.COMPLETED, 150);

        bench().store()
                .replaceAll(completed.stream()
                        .map(record -> record.next(RecordState.DISPATCHED))
                        .toList());

        assertThat(completed).allSatisfy(record -> assertThat(
                        Objects.requireNonNull(bench().another().find(record.key()))
                                .state())
                .isEqualTo(RecordState.DISPATCHED));
    }
}
