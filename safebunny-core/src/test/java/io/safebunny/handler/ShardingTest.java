// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.OrderKey;
import java.util.List;
import java.util.NavigableSet;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShardingTest {

    /** Fixed for ever: instances of different versions must agree. Computed by {@code sha256sum}, not by this code. */
    @ParameterizedTest
    @CsvSource({
        "a, 1, 0",
        "a, 4, 3",
        "a, 16, 12",
        "a, 256, 202",
        "customer:42.eu, 1, 0",
        "customer:42.eu, 3, 1",
        "customer:42.eu, 16, 7",
        "customer:42.eu, 256, 122"
    })
    void aKeyBelongsToTheSameShardForEver(String key, int count, int shard) {
        assertThat(Sharding.into(count).of(new OrderKey(key))).isEqualTo(shard);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 16, 100, 255, 256})
    void everyShardHasKeys(int count) {
        Sharding sharding = Sharding.into(count);

        assertThat(IntStream.range(0, 20_000)
                        .map(i -> sharding.of(new OrderKey("key-" + i)))
                        .distinct()
                        .sorted()
                        .toArray())
                .isEqualTo(IntStream.range(0, count).toArray());
    }

    @Test
    void whatHasNoKeyBelongsToTheFirst() {
        assertThat(Sharding.into(16).of(null)).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "16 | '' | 0-15",
                "16 | ' ' | 0-15",
                "16 | 0-15 | 0-15",
                "16 | 0,3,8-11 | 0,3,8-11",
                "16 | ' 8 - 11 , 3,0 ' | 0,3,8-11",
                "16 | 0-3,2-5,6 | 0-6",
                "16 | 15 | 15",
                "1 | 0 | 0",
                "256 | 0-255 | 0-255"
            })
    void readsWhatAnInstanceListensTo(int count, String listen, String ranges) {
        Sharding read = Sharding.parse(count, listen);

        assertThat(read.count()).isEqualTo(count);
        assertThat(read.ranges()).isEqualTo(ranges);
        assertThat(Sharding.parse(count, read.ranges())).isEqualTo(read);
    }

    @Test
    void tellsWhetherAnInstanceListensToAll() {
        assertThat(Sharding.parse(4, "0-3").isAll()).isTrue();
        assertThat(Sharding.parse(4, "0-3")).isEqualTo(Sharding.into(4));
        assertThat(Sharding.parse(4, "0,2").isAll()).isFalse();
        assertThat(Sharding.parse(4, "0,2").listened()).containsExactly(0, 2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"4", "0-4", "3-1", ",", "0,", "0,,1", "-1", "0-", "-", "a", "0;1", "0x1", "1.5", "99999999999"})
    void refusesShardsThatAreNone(String listen) {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> Sharding.parse(4, listen))
                .withMessageContaining(
                        "SB-5001 Invalid shards to listen to [%s]: they must be numbers from 0 to 3", listen);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 257})
    void refusesACountOutOfRange(int count) {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> Sharding.into(count))
                .withMessageContaining("SB-5001 Invalid number of shards [%s]: it must be 1 to 256", count);
    }

    @Test
    void refusesToListenToNothingOrToWhatIsNotThere() {
        for (SortedSet<Integer> none : List.of(set(), set(-1, 0), set(4))) {
            assertThatExceptionOfType(MisuseException.class).isThrownBy(() -> new Sharding(4, none));
        }
    }

    private static SortedSet<Integer> set(int... numbers) {
        NavigableSet<Integer> set = new TreeSet<>();
        IntStream.of(numbers).forEach(set::add);
        return set;
    }

    @Test
    void doesNotChangeWithTheSetItWasMadeOf() {
        SortedSet<Integer> given = set(1);
        Sharding sharding = new Sharding(4, given);
        given.add(2);

        assertThat(sharding.listened()).containsExactly(1);
    }
}
