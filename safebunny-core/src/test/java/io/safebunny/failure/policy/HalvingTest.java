// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.ThrottledException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who is tried together with whom, when some messages fail whoever comes with them. */
class HalvingTest {

    private final Exception failure = new IllegalStateException("one of them");

    private final List<List<Integer>> tried = new ArrayList<>();
    private final List<Integer> handled = new ArrayList<>();

    private static List<Integer> messages(int number) {
        return IntStream.range(0, number).boxed().toList();
    }

    private void handle(int number, Set<Integer> bad) {
        Halving<Integer> halving = new Halving<>(messages(number));
        while (halving.hasNext()) {
            List<Integer> part = halving.next();
            tried.add(part);
            if (part.stream().noneMatch(bad::contains)) {
                halving.handled();
                handled.addAll(part);
            } else if (!halving.failed(part, failure)) {
                assertThat(halving.hasNext()).isFalse();
            }
        }
    }

    @Test
    void eachHalfIsTriedTheFirstFirst() {
        handle(8, Set.of(2));

        assertThat(tried)
                .containsExactly(messages(8), List.of(0, 1, 2, 3), List.of(0, 1), List.of(2, 3), List.of(4, 5, 6, 7));
    }

    @Test
    void oneOfThreeIsAlone() {
        handle(3, Set.of(2));

        assertThat(tried).containsExactly(messages(3), List.of(1, 2));
    }

    /** Wherever they are; all but their last neighbours are handled together. */
    @Test
    void twoAreFoundInTheLargestBatch() {
        for (int first = 0; first < 200; first += 7) {
            for (int second = first + 1; second < 200; second += 11) {
                tried.clear();
                handled.clear();
                handle(200, Set.of(first, second));

                assertThat(handled).hasSizeGreaterThanOrEqualTo(200 - 6);
                assertThat(tried).hasSizeLessThanOrEqualTo(2 * 2 * 8);
            }
        }
    }

    /** However many calls that takes, as long as others succeed between them. */
    @Test
    void severalAreFoundIfTheyAreApart() {
        handle(200, Set.of(0, 66, 133, 199));

        assertThat(handled).hasSizeGreaterThanOrEqualTo(200 - 12);
    }

    /** Each failure costs a call of everybody in its part. */
    @Test
    void whenManyFailTheRestIsSoonAlone() {
        for (int distance = 2; distance < 60; distance++) {
            int every = distance;
            tried.clear();
            handle(200, messages(200).stream().filter(each -> each % every == 1).collect(Collectors.toSet()));

            assertThat(tried).hasSizeLessThanOrEqualTo(60);
        }
    }

    @Test
    void whenAllFailThatIsSoonSeen() {
        handle(200, Set.copyOf(messages(200)));

        assertThat(tried).hasSize(17);
        assertThat(handled).isEmpty();
    }

    @Test
    void whoAsksForAPauseIsNotAskedAgain() {
        Halving<Integer> halving = new Halving<>(messages(8));

        assertThat(halving.failed(halving.next(), new ThrottledException(Duration.ofSeconds(1))))
                .isFalse();
        assertThat(halving.hasNext()).isFalse();
    }

    @Test
    void whatIsStoppedIsOver() {
        Halving<Integer> halving = new Halving<>(messages(8));
        assertThat(halving.failed(halving.next(), failure)).isTrue();

        halving.stop();
        assertThat(halving.hasNext()).isFalse();
    }
}
