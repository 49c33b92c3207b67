// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.rabbit.consume.FakeChannel.FakeConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConsumerSessionTest implements ConsumerSession.Events {

    private final FakeConnection connection = new FakeConnection();
    private final FakeChannel channel = new FakeChannel(connection);
    private final ConsumerSession session = new ConsumerSession("orders-Ping", channel.channel(), true, this);
    private final List<RabbitDelivery> delivered = new ArrayList<>();
    private final List<String> lost = new ArrayList<>();
    private int ended;
    private boolean failsToTake;

    @Override
    public void delivered(RabbitDelivery delivery, int prefetch) {
        if (failsToTake) {
            throw new InternalError("no room for message %s".formatted(delivery.message()));
        }
        assertThat(prefetch).isEqualTo(10);
        delivered.add(delivery);
    }

    @Override
    public void consumerEnded() {
        ended++;
    }

    @Override
    public void lost(ConsumerSession old, @Nullable String why) {
        lost.add(String.valueOf(why));
    }

    @BeforeEach
    void watch() {
        session.watch();
    }

    @Test
    void setsThePrefetchBeforeItConsumes() throws IOException {
        session.consume(10);

        assertThat(channel.calls).containsExactly("qos 10", "consume");
        assertThat(session.prefetch()).isEqualTo(10);
    }

    @Test
    void noPlaceOfACancelledConsumerIsOccupied() throws IOException {
        session.consume(1);
        session.occupy();
        assertThat(session.isOccupied()).isTrue();

        session.consume(10); // as if it was said of the one before while this one took its place

        assertThat(session.isOccupied()).isFalse();
    }

    @Test
    void tellsHowOftenADeliveryFailed() throws IOException {
        session.consume(10);
        channel.deliver(0);
        channel.deliver(4);

        assertThat(delivered)
                .extracting(delivery -> delivery.message().deliveryCount())
                .containsExactly(0, 4);
    }

    @Test
    void believesNoCountWhereTheBrokerKeepsNone() throws IOException {
        ConsumerSession classic = new ConsumerSession("orders-Ping", channel.channel(), false, this);
        classic.consume(10);
        channel.deliver(4);

        assertThat(delivered.get(0).message().deliveryCount()).isZero();
    }

    @Test
    void eachDeliveryIsSettledOnceAndByItsOwnTag() throws IOException {
        session.consume(10);
        channel.deliver(0);
        channel.deliver(0);

        delivered.get(1).acknowledge();
        delivered.get(1).handBack();
        delivered.get(0).reject();

        assertThat(channel.calls).endsWith("ack 2", "reject 1");
        assertThat(delivered.get(1).isOpen()).isFalse();
    }

    @Test
    void whatWasDeliveredBeforeTheCancelCanStillBeSettled() throws IOException {
        session.consume(10);
        channel.deliver(0);
        channel.answersCancel = false;
        session.cancel();
        channel.deliver(0);
        assertThat(session.mayStillDeliver()).isTrue();

        channel.confirmCancel();

        assertThat(ended).isEqualTo(1);
        assertThat(session.mayStillDeliver()).isFalse();
        assertThat(session.prefetch()).isZero();
        assertThat(delivered).allMatch(RabbitDelivery::isOpen).hasSize(2);
    }

    @Test
    void whenConsumingFailsItClosesOnlyAfterWhatWasDelivered() throws IOException {
        session.consume(10);
        channel.deliver(0);
        session.cancel();
        channel.refusal = new IOException("no answer");

        assertThatThrownBy(() -> session.consume(10)).hasMessage("no answer");

        assertThat(session.isAlive()).isFalse();
        assertThat(channel.isOpen()).isTrue();
        delivered.get(0).acknowledge();
        assertThat(channel.calls).endsWith("ack 1");
        assertThat(session.finished()).as("to be closed now").isTrue();
    }

    @Test
    void aRetiredOneTakesNothingMore() throws IOException {
        session.consume(10);
        channel.deliver(0);
        session.cancel();
        channel.refusal = new IOException("no answer");
        assertThatThrownBy(() -> session.consume(10)).hasMessage("no answer");

        channel.deliver(0);

        assertThat(delivered).hasSize(1);
    }

    @Test
    void whenNothingIsUnfinishedAFailedConsumeClosesAtOnce() {
        channel.refusal = new IOException("no answer");

        assertThatThrownBy(() -> session.consume(10)).hasMessage("no answer");

        assertThat(channel.calls).endsWith("close");
    }

    @Test
    void settlesNothingAfterTheBrokerTookTheConsumerAway() throws IOException {
        session.consume(10);
        channel.deliver(0);

        channel.cancelByBroker();
        delivered.get(0).acknowledge();

        assertThat(channel.calls).doesNotContain("ack 1");
        assertThat(delivered.get(0).isOpen()).isFalse();
        assertThat(session.isAlive()).isFalse();
        assertThat(lost).singleElement().asString().contains("cancelled the consumer of queue 'orders-Ping'");
    }

    /** The client would close the channel on the thread that reads, which then waits for an answer that only it could read. */
    @Test
    void aMessageThatCannotBeTakenEndsTheSessionOnAnotherThread() throws IOException {
        session.consume(10);
        channel.deliver(0);
        failsToTake = true;

        channel.deliver(0);

        assertThat(lost).containsExactly("A message from queue 'orders-Ping' cannot be taken: java.lang.InternalError");
        assertThat(channel.calls).doesNotContain("close");
        assertThat(session.isAlive()).isFalse();
        assertThat(delivered.get(0).isOpen()).isFalse();
    }

    @Test
    void tellsWhyTheBrokerClosedTheChannel() throws IOException {
        session.consume(10);
        channel.deliver(0);

        channel.closeByBroker();

        assertThat(delivered.get(0).isOpen()).isFalse();
        assertThat(lost)
                .containsExactly(
                        "The broker closed the channel of queue 'orders-Ping': PRECONDITION_FAILED - of the test");
    }

    @Test
    void nothingCanBeSettledOnAConnectionThatIsBeingClosed() throws IOException {
        session.consume(10);
        channel.deliver(0);

        connection.open = false;

        assertThat(delivered.get(0).isOpen()).isFalse();
    }
}
