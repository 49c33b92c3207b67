// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.orders;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.benchmarks.orders.DbSchedulerOrders.Progress;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrderTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 20, 99, 107, 108, 300, 1_000})
    void oneInAHundredIsRefused(int orders) {
        long refused = IntStream.range(0, orders)
                .mapToObj(number -> Order.named("phase", number))
                .filter(Order::isRefused)
                .count();

        assertThat(Order.refused(orders)).isEqualTo((int) refused);
    }

    @Test
    void aFewOrdersHaveARefusedOneAmongThem() {
        assertThat(Order.refused(20)).isOne();
        assertThat(Order.refused(1_000)).isEqualTo(10);
    }

    @Test
    void aRefusedOrderLeavesThreeEffectsUndone() {
        assertThat(Tally.expected(20, 1)).isEqualTo(new Tally(76, 3, 0));
    }

    @Test
    void stepsAreDoneInOrderAndUndoneInReverse() {
        assertThat(from(new Progress(1, false))).containsExactly(1, 2, 3, 4);
        assertThat(from(new Progress(3, true))).containsExactly(3, 2, 1);
    }

    private static List<Integer> from(Progress first) {
        return Stream.iterate(first, Progress::next)
                .takeWhile(progress -> progress.step() >= 1 && progress.step() <= Order.STEPS)
                .map(Progress::step)
                .toList();
    }
}
