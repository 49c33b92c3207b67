// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.assertSame;
import static io.safebunny.test.contract.store.StoreBench.claim;
import static io.safebunny.test.contract.store.StoreBench.found;
import static io.safebunny.test.contract.store.StoreBench.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of several callers that create a message's record exactly one succeeds, and all of them learn which. */
interface CreateRules {

    StoreBench bench();

    @Test
    default void returnsTheExistingRecordUnchanged() {
        MessageRecord first = bench().created();

        MessageRecord second = bench().another().create(claim(first.key(), "second"));

        assertSame(second, first);
        bench().assertStored(first);
    }

    @Test
    default void returnsTheExistingRecordInItsPresentState() {
        MessageRecord completed = bench().created(RecordState.COMPLETED);

        MessageRecord second = bench().store().create(claim(completed.key(), "second"));

        assertSame(second, completed);
        bench().assertStored(completed);
    }

    @Test
    default void recognisesItsOwnCreateRepeated() {
        MessageRecord record = claim(key(), "first");
        bench().store().create(record);

        MessageRecord repeated = bench().store().create(record);

        assertThat(repeated.isSameWriteAs(record)).isTrue();
        assertSame(repeated, record);
        bench().assertStored(record);
    }

    @Test
    default void letsOneOfManyConcurrentCreatesWin() throws Exception {
        RecordKey key = key();

        List<String> seen = bench().race(
                        racer -> racer.store().create(claim(key, racer.owner())).owner());

        assertThat(seen).as("the owners seen by all").hasSize(16).containsOnly(seen.get(0));
        assertThat(found(bench().store(), key).owner()).isEqualTo(seen.get(0));
    }

    @Test
    default void findsNothingUnderAnUnknownKey() {
        bench().created();

        assertThat(bench().store().find(key())).isNull();
    }
}
