// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.message.WireMessage;
import io.safebunny.rabbit.publish.FakeBroker.FakeChannel;
import io.safebunny.rabbit.publish.FakeBroker.FakeConnection;
import io.safebunny.rabbit.publish.FakeBroker.Published;
import io.safebunny.time.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PublisherChannelTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Destination TO = new Destination("safebunny", "orders-OrderPlaced", true, Map.of());
    private static final WireMessage MESSAGE = FakeBroker.ORDER_PLACED;

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final FakeConnection connection = new FakeConnection();
    private PublisherChannel channel;
    private FakeChannel broker;

    @BeforeEach
    void open() throws IOException {
        channel = PublisherChannel.open(connection.proxy);
        broker = connection.channel();
    }

    /** Counts how often it is ended: the second time would be lost on the waiting publisher, not on this. */
    private static final class Fate extends CompletableFuture<Void> {
        private int ends;

        @Override
        public boolean complete(Void value) {
            ends++;
            return super.complete(null);
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            ends++;
            return super.completeExceptionally(failure);
        }
    }

    private Fate publish() {
        Fate fate = new Fate();
        boolean unused = channel.publish(pending(fate), MESSAGE, Map.of(), null);
        return fate;
    }

    private Pending pending(Fate fate) {
        return new Pending(
                new Publication("OrderPlaced", "orders-OrderPlaced", "id"),
                TO,
                MESSAGE.body().length,
                fate,
                Deadline.after(TIMEOUT, timeline));
    }

    private static void assertConfirmed(Fate... fates) {
        for (Fate fate : fates) {
            assertThat(fate).isCompleted();
            assertThat(fate.ends).isOne();
        }
    }

    private static void assertFailed(Fate fate, Class<? extends Throwable> type) {
        assertThat(fate).isCompletedExceptionally();
        assertThat(fate.handle((none, failure) -> failure).join()).isInstanceOf(type);
        assertThat(fate.ends).isOne();
    }

    @Test
    void endsEachByItsOwnConfirmInWhicheverOrder() {
        Fate first = publish();
        Fate second = publish();
        Fate third = publish();

        broker.ack(2, false);
        assertConfirmed(second);
        assertThat(first).isNotDone();
        broker.ack(3, false);
        broker.ack(1, false);
        assertConfirmed(first, third);
    }

    @Test
    void endsAllUpToOneByAMultipleConfirm() {
        Fate first = publish();
        Fate second = publish();
        Fate third = publish();
        Fate fourth = publish();
        broker.ack(2, false);
        broker.ack(3, true);

        assertConfirmed(first, second, third);
        assertThat(fourth).isNotDone();
    }

    @Test
    void failsWhatTheBrokerNacks() {
        Fate first = publish();
        Fate second = publish();
        Fate third = publish();
        broker.nack(2, true);
        broker.ack(3, false);

        assertFailed(first, NackedException.class);
        assertFailed(second, NackedException.class);
        assertConfirmed(third);
    }

    @Test
    void pairsAReturnWithItsOwnPublicationAmongEqualOnes() {
        Fate first = publish();
        Fate second = publish();
        Published lost = broker.published.get(1);
        broker.giveBack(lost, lost.properties());
        broker.ack(2, true);

        assertConfirmed(first);
        assertFailed(second, UnroutableException.class);
    }

    @Test
    void takesNoneForRoutedThatAReturnWithoutANumberMayBe() {
        Fate first = publish();
        Fate second = publish();
        broker.giveBack(broker.published.get(1), new AMQP.BasicProperties());
        broker.ack(2, true);

        assertFailed(first, UnroutableException.class);
        assertFailed(second, UnroutableException.class);
    }

    @Test
    void failsWhatIsInFlightOnceWhenTheChannelIsLost() {
        Fate confirmed = publish();
        Fate inFlight = publish();
        broker.ack(1, false);
        broker.close(FakeBroker.connectionLost());
        broker.ack(2, true);
        channel.expire();

        assertConfirmed(confirmed);
        assertFailed(inFlight, ConnectionLostException.class);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void failsOnceWhatIsWrittenToAChannelThatIsClosedMeanwhile() {
        Fate before = publish();
        broker.instead = () -> {
            broker.close(FakeBroker.connectionLost());
            throw new AlreadyClosedException(FakeBroker.connectionLost());
        };
        Fate during = publish();
        Fate after = publish();

        assertFailed(before, ConnectionLostException.class);
        assertFailed(during, ConnectionLostException.class);
        assertFailed(after, ConnectionLostException.class);
    }

    @Test
    void tellsWhetherItWasWrittenToTheEnd() {
        assertThat(channel.publish(pending(new Fate()), MESSAGE, Map.of(), null))
                .isTrue();
        broker.instead = () -> {
            throw new IOException("connection reset (simulated)");
        };
        Fate fate = new Fate();
        assertThat(channel.publish(pending(fate), MESSAGE, Map.of(), null)).isFalse();
        assertFailed(fate, ConnectionLostException.class);
    }

    @Test
    void failsForGoodOnlyWhatTheBrokerFoundTooLarge() {
        Fate inFlight = publish();
        broker.close(FakeBroker.channelClosed(
                AMQP.PRECONDITION_FAILED,
                "PRECONDITION_FAILED - message size %d is larger than configured max size 1"
                        .formatted(MESSAGE.body().length)));
        assertFailed(inFlight, NackedException.class);
        assertThat(channel.missedAnExchange()).isFalse();
    }

    @Test
    void seesThatAnExchangeIsMissing() {
        Fate inFlight = publish();
        broker.close(FakeBroker.channelClosed(AMQP.NOT_FOUND, "NOT_FOUND - no exchange 'safebunny' in vhost '/'"));

        assertFailed(inFlight, ConnectionLostException.class);
        assertThat(channel.missedAnExchange()).isTrue();
    }

    @Test
    void endsWhatIsNotConfirmedByItsDeadline() {
        Fate late = publish();
        timeline.advance(TIMEOUT.minusNanos(1));
        Fate younger = publish();
        channel.expire();
        assertThat(late).isNotDone();
        timeline.advance(Duration.ofNanos(1));
        channel.expire();

        assertFailed(late, PublishTimeoutException.class);
        broker.ack(1, false);
        assertThat(late.ends).isOne();
        assertThat(younger).isNotDone();
    }

    /** The client has used up a sequence number that the broker does not know of: confirms would be off by one. */
    @Test
    void closesAfterTheOthersWhenTheClientRefusesOne() {
        Fate other = publish();
        timeline.schedule(Duration.ofSeconds(1), () -> broker.ack(1, false));
        broker.instead = () -> {
            throw new IllegalArgumentException("too long (simulated)");
        };
        Fate refused = publish();

        assertFailed(refused, InvalidPublicationException.class);
        assertConfirmed(other);
        assertThat(timeline.elapsed()).isEqualTo(Duration.ofSeconds(1));
        assertThat(broker.isClosedByClient()).isTrue();
    }

    @Test
    void waitsForTheOthersNoLongerThanUntilTheDeadline() {
        Fate other = publish();
        broker.instead = () -> {
            throw new IllegalArgumentException("too long (simulated)");
        };
        Fate refused = publish();

        assertFailed(refused, InvalidPublicationException.class);
        assertThat(other).isNotDone();
        assertThat(timeline.elapsed()).isEqualTo(TIMEOUT);
        assertThat(broker.isClosedByClient()).isTrue();
    }
}
