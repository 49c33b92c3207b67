// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PublishOptions;
import io.safebunny.fixture.PaymentCaptured;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Scheduled messages with a deadline. */
class MovedDeadlineTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final Desk desk = new Desk();

    private String schedule() {
        String handle = desk.messages()
                .schedule(
                        new PaymentCaptured("1"),
                        PublishOptions.none().withDelay(HOUR).withDeadline(Desk.START.plus(HOUR.multipliedBy(2))));
        desk.world.settle();
        return handle;
    }

    private Duration deadline() {
        return Duration.between(
                Desk.START,
                Objects.requireNonNull(desk.arrivals.get(0).context().deadline()));
    }

    @Test
    void stayAsTheyAre() {
        String unused = schedule();

        desk.world.pass(HOUR.multipliedBy(2));

        assertThat(deadline()).isEqualTo(HOUR.multipliedBy(2));
    }

    @Test
    void haveAsLongAsBeforeWhenTheyAreMoved() {
        String handle = schedule();

        assertThat(desk.messages().move(handle, Desk.START.plus(HOUR.multipliedBy(5))))
                .isTrue();
        desk.world.pass(HOUR.multipliedBy(6));

        assertThat(deadline()).isEqualTo(HOUR.multipliedBy(6));
    }
}
