// SPDX-License-Identifier: Apache-2.0
package io.safebunny.replaying;

import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.MisuseException;
import io.safebunny.identity.RandomIds;
import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.Events;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.replaying.Edits.Edited;
import io.safebunny.spi.transport.BrowsedQueue;
import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the copy, which keeps it from everybody else, sends the edited one, stores that the message has another body, and removes the copy.
 * The edited copy comes first, so that there is never a record of a body that is nowhere; until the record is written, it belongs to no
 * message and is not handled. Runs once, on the thread that asks; looked at by any.
 */
final class EditOperation implements PoisonOperation {

    private static final Logger LOG = LoggerFactory.getLogger(EditOperation.class);

    private static final int MOST_SEARCHED = 100_000;

    private final String id;
    private final PoisonEdit edit;
    private final String node;
    private final PoisonRequest request;
    private final Instant begunAt;
    private final Supplier<BrowsedQueue> browsing;
    private final ConfirmedSender sender;
    private final Edits edits;
    private final Events events;
    private volatile Progress progress = new Progress(State.RUNNING, 0, 0, Map.of(), List.of(), null);

    EditOperation(
            PoisonEdit edit,
            String node,
            Supplier<BrowsedQueue> browsing,
            ConfirmedSender sender,
            Edits edits,
            Timeline timeline,
            Events events) {
        this.id = RandomIds.next(timeline.random());
        this.edit = edit;
        this.node = node;
        this.request = PoisonRequest.of(
                PoisonFilter.all().withMessageId(edit.messageId()).withLimit(1), edit.by(), edit.reason());
        this.begunAt = timeline.now();
        this.browsing = browsing;
        this.sender = sender;
        this.edits = edits;
        this.events = events;
    }

    /** @throws RuntimeException why it failed */
    void run() {
        String message = Names.printable(edit.messageId());
        LOG.info(
                "EDIT {} begins [by={}, reason={}, message={}, digest={}, bytes={}]",
                id,
                request.by(),
                request.reason(),
                message,
                Names.printable(edit.digest()),
                edit.body().length);
        try (BrowsedQueue queue = browsing.get()) {
            Edited edited = replace(queue);
            progress = new Progress(State.ENDED, 1, 1, Map.of(edited.verdict(), 1), List.of(), null);
            LOG.info(
                    "EDIT {} has replaced message {} [by={}, digest={}]",
                    id,
                    message,
                    request.by(),
                    edited.wire().headers().get(Headers.POISON_DIGEST));
        } catch (RuntimeException | Error e) {
            progress = new Progress(State.FAILED, 0, 0, Map.of(), List.of(), String.valueOf(e.getMessage()));
            LOG.warn("EDIT {} failed [by={}, message={}]", id, request.by(), message, e);
            throw e;
        }
    }

    private Edited replace(BrowsedQueue queue) {
        MisuseException refusal = null;
        Delivery delivery = null;
        long depth = Math.min(queue.depth(), MOST_SEARCHED); // what is set aside from now on is not meant
        for (long taken = 0; taken < depth && (delivery = queue.next()) != null; taken++) {
            WireMessage copy = delivery.message().message();
            if (edit.messageId().equals(copy.messageId())
                    && edit.digest().equals(copy.headers().get(Headers.POISON_DIGEST))) {
                Edited edited = null;
                try {
                    edited = edits.edit(copy, edit.body(), id);
                } catch (MisuseException e) {
                    refusal = e; // an older copy of the same message, perhaps
                }
                if (edited != null) {
                    replace(delivery, edited);
                    return edited;
                }
            }
        }
        throw refusal != null ? refusal : none();
    }

    private void replace(Delivery delivery, Edited edited) {
        if (!delivery.isOpen()) { // it is back in its queue, where somebody else may take it
            throw new BrowsingException(delivery.message().queue(), "the connection was lost. Begin again.", null);
        }
        sender.sendAndWait(new OutboundMessage(edited.wire(), new Route.Poison(node), Duration.ZERO));
        if (!edits.store(edited)) {
            throw new MisuseException(
                    MisuseException.POISON,
                    "The edit is of no effect [message=%s]: another delivery or edit of the message was faster. Its copy is as it was; the edited one is beside it and says which of them a replay would move. Look at them with PoisonMessages.find, and edit again what is to be edited."
                            .formatted(Names.printable(edit.messageId())));
        }
        if (edited.record() == null && !delivery.isOpen()) {
            throw new BrowsingException(
                    delivery.message().queue(),
                    "the connection was lost. The copy as it was and the edited one are both there, and without a store a replay handles both: discard one.",
                    null);
        }
        delivery.acknowledge();
        events.moved(this, delivery.message().queue(), edited.wire());
    }

    private MisuseException none() {
        return new MisuseException(
                MisuseException.COPY,
                "There is no such copy [message=%s, digest=%s]: it was replayed, discarded or edited, or somebody is looking at it. Look again with PoisonMessages.find."
                        .formatted(Names.printable(edit.messageId()), Names.printable(edit.digest())));
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Kind kind() {
        return Kind.EDIT;
    }

    @Override
    public PoisonRequest request() {
        return request;
    }

    @Override
    public Instant begunAt() {
        return begunAt;
    }

    @Override
    public Progress progress() {
        return progress;
    }

    /** Of no effect: there is no second copy before which it could end. */
    @Override
    public void cancel() {}

    @Override
    public Progress await(Duration patience) {
        return progress;
    }
}
