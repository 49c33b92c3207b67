// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.message.PoisonReason;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.FailureDetails;
import io.safebunny.poison.queue.PoisonQueue;
import io.safebunny.poison.queue.Settlement;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Settles each delivery exactly once, whatever its processing throws. The only place that settles deliveries to handlers. Thread-safe. */
final class DeliverySettler implements DeliveryHandler {

    private static final Logger LOG = LoggerFactory.getLogger(DeliverySettler.class);

    private final Processing processing;
    private final PoisonQueue poisonQueue;
    private final Survivors survivors;
    private final BoundedLog log;
    private final FailureDetails details;
    private final Subject defects;
    private final Subject stuck;

    /** What is done with a delivery before it is settled. */
    @FunctionalInterface
    interface Processing {
        /** @throws Exception a defect in SafeBunny; what handlers throw is dealt with inside */
        Settlement process(Delivery delivery) throws Exception;

        /** How many deliveries {@link #processTogether} takes; 1 for none. */
        default int mostTogether() {
            return 1;
        }

        /**
         * @param ended told of each delivery that is handled, and how it is to be settled; all others are to be {@linkplain #process
         *     processed} one by one
         * @throws Exception a defect in SafeBunny
         */
        default void processTogether(List<? extends Delivery> deliveries, BiConsumer<Delivery, Settlement> ended)
                throws Exception {}
    }

    DeliverySettler(
            Processing processing,
            PoisonQueue poisonQueue,
            Survivors survivors,
            BoundedLog log,
            FailureDetails details,
            String queue) {
        this.processing = processing;
        this.poisonQueue = poisonQueue;
        this.survivors = survivors;
        this.log = log;
        this.details = details;
        this.defects = Subject.error(LOG, "Core steps failed for messages of queue " + queue);
        this.stuck = Subject.error(LOG, "Messages of queue %s can neither be handled nor poisoned".formatted(queue));
    }

    @Override
    public int mostTogether() {
        return processing.mostTogether();
    }

    @Override
    public <D extends Delivery> List<D> handleTogether(List<D> deliveries) {
        Set<Delivery> done = new HashSet<>();
        try {
            processing.processTogether(deliveries, (delivery, end) -> {
                done.add(delivery);
                settle(delivery, end);
            });
        } catch (Throwable e) {
            tell(defects, deliveries.get(0), () -> LOG.error("A core step failed", details.logged(e)));
        }
        return deliveries.stream().filter(delivery -> !done.contains(delivery)).toList();
    }

    @Override
    public void handle(Delivery delivery) {
        if (!delivery.isOpen()) {
            survived(delivery);
            return;
        }
        Settlement end;
        try {
            end = processing.process(delivery);
        } catch (Throwable e) {
            tell(defects, delivery, () -> LOG.error("A core step failed", details.logged(e)));
            end = poison(delivery, e);
        }
        settle(delivery, end);
    }

    private void settle(Delivery delivery, Settlement end) {
        if (delivery.isOpen()) {
            end.settle(delivery);
        } else {
            survived(delivery);
        }
    }

    /** Only the channel is gone, so this message did not kill the process, whatever the broker counts. */
    private void survived(Delivery delivery) {
        survivors.add(String.valueOf(delivery.message().message().messageId()));
    }

    /** If that fails, too, the delivery goes back to the broker after a pause. */
    private Settlement poison(Delivery delivery, Throwable defect) {
        try {
            return poisonQueue.putUnhandled(delivery, PoisonReason.HANDLER_FAILED, defect);
        } catch (Throwable e) {
            tell(stuck, delivery, () -> LOG.error("A delivery can neither be handled nor poisoned", details.logged(e)));
            poisonQueue.pause();
            return Settlement.HAND_BACK;
        }
    }

    private void tell(Subject kind, Delivery delivery, Runnable inFull) {
        log.tell(kind, delivery.message().message().toString(), inFull);
    }
}
