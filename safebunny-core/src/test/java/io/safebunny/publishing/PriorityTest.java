// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyMessage;
import io.safebunny.PublishOptions;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.transport.OutboundMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Publications with a priority, their own or that of their class. */
class PriorityTest {

    @BunnyMessage(priority = 9)
    record Alarm(String id) {}

    @BunnyMessage("Named")
    record Other(String id) {}

    record Plain(String id) {}

    @BunnyMessage(priority = 32)
    record TooHigh(String id) {}

    private final Publisher publisher = new Publisher();

    private @Nullable Integer priorityOf(Object payload, PublishOptions options) {
        publisher.bunny.publish(payload, options);
        List<OutboundMessage> all = publisher.transport.confirmed();
        return all.get(all.size() - 1).message().priority();
    }

    @Test
    void hasNoneUnlessItIsAsked() {
        assertThat(priorityOf(new Plain("1"), PublishOptions.none())).isNull();
        assertThat(priorityOf(new Other("1"), PublishOptions.none())).isNull();
    }

    @Test
    void thatOfThePublicationTakesPrecedenceOverThatOfTheClass() {
        assertThat(priorityOf(new Alarm("1"), PublishOptions.none())).isEqualTo(9);
        assertThat(priorityOf(new Alarm("2"), PublishOptions.none().withPriority(0)))
                .isZero();
        assertThat(priorityOf(new Plain("3"), PublishOptions.none().withPriority(31)))
                .isEqualTo(31);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 32, 255, Integer.MIN_VALUE})
    void oneThatNoBrokerKnowsIsRefused(int priority) {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(
                        new Plain("1"), PublishOptions.none().withPriority(priority)))
                .withMessageContaining(
                        "type=Plain, priority=" + priority + ", from=PublishOptions]: it must be 0 to 31");
        assertThat(publisher.transport.confirmed()).isEmpty();
    }

    @Test
    void soIsThatOfAClass() {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new TooHigh("1"), PublishOptions.none()))
                .withMessageContaining("priority=32, from=@BunnyMessage");
    }
}
