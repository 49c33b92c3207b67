// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.observation.BoundedLog;
import io.safebunny.rabbit.work.InboundBudget.Share;
import org.junit.jupiter.api.Test;

class InboundBudgetTest {

    private final InboundBudget budget =
            new InboundBudget(1_000, new BoundedLog(VirtualTimeline.skipping(), ExceptionDetails.FULL));

    private static void handle(Share share, int bytes) {
        share.took(bytes);
        share.gave(bytes);
    }

    @Test
    void leavesQueuesOfSmallMessagesAlone() {
        Share one = budget.share("one", 10);
        Share other = budget.share("other", 10);
        for (int i = 0; i < 10; i++) {
            one.took(40);
            other.took(40);
        }

        assertThat(one.isFull()).isTrue();
        assertThat(other.isFull()).isTrue();
    }

    @Test
    void takesNothingFromOthersForAQueueThatIsIdle() {
        Share large = budget.share("large", 10);
        Share small = budget.share("small", 10);
        handle(large, 90);
        assertThat(large.isFull()).isTrue();

        handle(small, 20);

        assertThat(small.isFull()).isTrue();
    }

    @Test
    void slowsAQueueDownWhoseMessagesWouldNotFitAsOftenAsItTakesThem() {
        Share queue = budget.share("queue", 10);
        assertThat(queue.isFull()).isTrue();

        queue.took(101);

        assertThat(queue.isFull()).isFalse();
        queue.gave(101);
        assertThat(queue.isFull()).as("the next will be as large").isFalse();
    }

    @Test
    void countsWhatTheOthersAreExpectedToHold() {
        Share first = budget.share("first", 10);
        Share second = budget.share("second", 10);
        first.took(60);
        assertThat(first.isFull()).isTrue();

        second.took(60);

        assertThat(second.isFull()).isFalse();
        assertThat(first.isFull()).isTrue();
    }

    @Test
    void slowsEverybodyDownWhenOneHoldsAll() {
        Share greedy = budget.share("greedy", 10);
        Share modest = budget.share("modest", 10);
        modest.took(1);
        greedy.took(5_000);

        assertThat(greedy.isFull()).isFalse();
        assertThat(modest.isFull()).isFalse();

        greedy.gave(5_000);
        for (int i = 0; i < 60; i++) {
            handle(greedy, 1);
        }
        assertThat(modest.isFull()).isTrue();
    }

    @Test
    void forgetsALargeMessageAfterManySmallOnes() {
        Share queue = budget.share("queue", 10);
        handle(queue, 500);
        assertThat(queue.isFull()).isFalse();

        for (int i = 0; i < 20; i++) {
            handle(queue, 1);
        }

        assertThat(queue.isFull()).isTrue();
    }

    /** Each change costs the consumer's cancellation and a new one. */
    @Test
    void doesNotChangeItsMindAtTheEdge() {
        Share queue = budget.share("queue", 10);
        queue.took(101);
        assertThat(queue.isFull()).isFalse();
        queue.gave(101);
        handle(queue, 90); // 900 of 1,000: it would have stayed full

        assertThat(queue.isFull()).isFalse();
    }

    @Test
    void givesBackTheShareOfAQueueThatIsNotConsumedAnyMore() {
        Share stopped = budget.share("stopped", 10);
        Share other = budget.share("other", 10);
        stopped.took(90);
        other.took(90);
        assertThat(other.isFull()).isFalse();

        stopped.leave();
        other.gave(90);
        for (int i = 0; i < 5; i++) {
            handle(other, 1);
        }

        assertThat(other.isFull()).isTrue();
    }
}
