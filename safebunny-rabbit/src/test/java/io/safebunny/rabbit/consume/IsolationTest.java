// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.QuarantinePolicy;
import io.safebunny.message.WireMessage;
import io.safebunny.rabbit.consume.FakeChannel.FakeConnection;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class IsolationTest {

    private static final int PREFETCH = 3;

    private int impatient;
    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final List<RabbitDelivery> takingLong = new ArrayList<>();
    private final Isolation isolation = new Isolation(
            new QuarantinePolicy(20, QuarantinePolicy.PATIENCE),
            PREFETCH,
            timeline,
            () -> impatient++,
            takingLong::add);
    private long tags;

    private RabbitDelivery delivery(int failures) {
        ConsumerSession session =
                new ConsumerSession("queue", new FakeChannel(new FakeConnection()).channel(), true, new Unheard());
        WireMessage message = new WireMessage(null, null, null, null, null, null, null, Map.of(), new byte[0]);
        return new RabbitDelivery(
                session,
                ++tags,
                new IncomingMessage(new Origin("queue", "", "queue"), failures > 0, failures, message));
    }

    @Test
    void goodOnesAreHandledBesideEachOtherUpToThePrefetch() {
        RabbitDelivery good = delivery(0);

        assertThat(isolation.mayBegin(good, PREFETCH - 1)).isTrue();
        assertThat(isolation.mayBegin(good, PREFETCH)).isFalse();
    }

    @Test
    void twoFailedDeliveriesAreAboveSuspicionAndThreeAreNot() {
        assertThat(isolation.mayBegin(delivery(2), 1)).isTrue();
        assertThat(isolation.mayBegin(delivery(3), 1)).isFalse();
        assertThat(isolation.mayBegin(delivery(3), 0)).isTrue();
    }

    @Test
    void othersWaitUntilTheSuspectIsFinished() {
        RabbitDelivery suspect = delivery(3);
        isolation.delivered(suspect, 1);
        isolation.begins(suspect);
        assertThat(isolation.mayBegin(delivery(0), 1)).isFalse();

        isolation.finished(suspect);

        assertThat(isolation.mayBegin(delivery(0), 0)).isTrue();
    }

    @Test
    void nothingMoreIsWantedFromTheBrokerWhileASuspectWaitsOrIsHandled() {
        RabbitDelivery suspect = delivery(3);
        assertThat(isolation.isInForce()).isFalse();

        isolation.delivered(suspect, PREFETCH);
        assertThat(isolation.isInForce()).as("it waits").isTrue();
        isolation.begins(suspect);
        assertThat(isolation.isInForce()).as("it is handled").isTrue();
        isolation.finished(suspect);
        assertThat(isolation.isInForce()).isFalse();
    }

    @Test
    void aSuspectWaitsAMinuteForHandlersThatDoNotReturn() {
        RabbitDelivery suspect = delivery(3);
        isolation.delivered(suspect, 1);
        isolation.waits(suspect);
        timeline.advance(Duration.ofSeconds(59));
        isolation.waits(suspect);
        assertThat(isolation.mayBegin(suspect, 1)).isFalse();

        timeline.advance(Duration.ofSeconds(1));

        assertThat(impatient).as("asked again, once").isEqualTo(1);
        assertThat(isolation.mayBegin(suspect, 1)).isTrue();
    }

    @Test
    void eachSuspectBeginsToWaitAnew() {
        RabbitDelivery first = delivery(3);
        RabbitDelivery second = delivery(4);
        isolation.waits(first);
        timeline.advance(QuarantinePolicy.PATIENCE);
        isolation.begins(first);

        assertThat(isolation.mayBegin(second, 1)).isFalse();
    }

    @Test
    void othersWaitAMinuteForASuspectThatDoesNotReturn() {
        RabbitDelivery suspect = delivery(3);
        isolation.delivered(suspect, 1);
        isolation.begins(suspect);
        timeline.advance(Duration.ofMinutes(1));
        assertThat(takingLong).containsExactly(suspect);

        assertThat(isolation.release(suspect)).isTrue();

        assertThat(isolation.mayBegin(delivery(0), 1)).isTrue();
        assertThat(isolation.isInForce()).isFalse();
    }

    @Test
    void whatIsFinishedIsNotReleased() {
        RabbitDelivery suspect = delivery(3);
        isolation.delivered(suspect, 1);
        isolation.begins(suspect);
        isolation.finished(suspect);

        assertThat(isolation.release(suspect)).isFalse();
    }

    @Test
    void oneAtATimeUntilAGoodOneCame() {
        assertThat(isolation.isCautious()).isTrue();

        isolation.delivered(delivery(0), 1);
        assertThat(isolation.isCautious()).isFalse();

        isolation.delivered(delivery(3), PREFETCH);
        assertThat(isolation.isCautious()).isTrue();
        isolation.delivered(delivery(0), PREFETCH); // had been sent before
        assertThat(isolation.isCautious()).isTrue();
    }

    @Test
    void oneAtATimeAgainOnANewChannel() {
        isolation.delivered(delivery(0), 1);

        isolation.beCautious();

        assertThat(isolation.isCautious()).isTrue();
    }

    private static final class Unheard implements ConsumerSession.Events {
        @Override
        public void delivered(RabbitDelivery delivery, int prefetch) {}

        @Override
        public void consumerEnded() {}

        @Override
        public void lost(ConsumerSession session, @Nullable String why) {}
    }
}
