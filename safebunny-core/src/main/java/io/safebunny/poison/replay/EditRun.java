// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.NackedException;
import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.observation.Events;
import io.safebunny.poison.EditFailedException;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.replay.Edits.Edited;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.topology.Topology;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the copy away from everybody else, sends the edited one, writes the record of the new body, and removes the original. The edited
 * copy is sent first, so that a recorded body always exists; until the record is written, the copy matches no record and is not handled.
 * Runs once, on the calling thread.
 */
final class EditRun implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(EditRun.class);

    private static final int MOST_SEARCHED = 100_000;

    private final TrackedOperation operation;
    private final PoisonEdit edit;
    private final String node;
    private final Browsing browsing;
    private final ConfirmedSender sender;
    private final Edits edits;
    private final Events events;

    EditRun(Node node, TrackedOperation operation, PoisonEdit edit, Browsing browsing, Edits edits) {
        this.operation = operation;
        this.edit = edit;
        this.node = node.name();
        this.browsing = browsing;
        this.sender = node.sender();
        this.edits = edits;
        this.events = node.events();
    }

    /** The request as the list of operations shows it, without the body. */
    static PoisonRequest request(PoisonEdit edit) {
        return PoisonRequest.of(
                PoisonFilter.all().withMessageId(edit.messageId()).withLimit(1), edit.by(), edit.reason());
    }

    /** @throws EditFailedException with the failure as its cause */
    @Override
    public void run() {
        String message = Names.printable(edit.messageId());
        LOG.info(
                "{} begins [by={}, reason={}, message={}, digest={}, bytes={}]",
                operation,
                operation.request().by(),
                operation.request().reason(),
                message,
                Names.printable(edit.digest()),
                edit.body().length);
        try {
            Edited edited = browsing.alone(Topology.poisonOf(node), this::replace);
            operation.edited(edited.verdict());
            operation.end(RunState.ENDED);
            LOG.info(
                    "{} has replaced message {} [by={}, digest={}]",
                    operation,
                    message,
                    operation.request().by(),
                    edited.wire().headers().get(Headers.POISON_DIGEST));
        } catch (RuntimeException e) {
            failed(message, e);
            throw new EditFailedException(operation, e);
        } catch (Error e) {
            failed(message, e);
            throw e;
        }
    }

    private void failed(String message, Throwable why) {
        LOG.warn("{} failed [by={}, message={}]", operation, operation.request().by(), message, operation.fail(why));
    }

    private Edited replace(BrowsedQueue queue) {
        MisuseException refusal = null;
        Delivery delivery = null;
        for (int taken = 0; taken < MOST_SEARCHED && (delivery = queue.next()) != null; taken++) {
            WireMessage copy = delivery.message().message();
            if (edit.messageId().equals(copy.messageId())
                    && edit.digest().equals(copy.headers().get(Headers.POISON_DIGEST))) {
                Edited edited = null;
                try {
                    edited = edits.edit(copy, edit.body(), operation.id());
                } catch (MisuseException e) {
                    refusal = e; // another copy of the message may be accepted
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
        if (!delivery.isOpen()) { // the broker has put the copy back, and others may take it
            throw new BrowsingException(delivery.message().queue(), "the connection was lost. Begin again.", null);
        }
        send(edited);
        if (!edits.store(edited)) {
            throw inTheWay(
                    "another delivery or edit of the message was faster. The original copy is unchanged, and the edited one is beside it; their verdicts tell which of them a replay would move.");
        }
        if (!isRemoved(delivery)) {
            if (edited.record() == null) {
                throw inTheWay(
                        "the connection was lost, so both the original and the edited copy may be there. Without a store a replay handles both: discard one.");
            }
            LOG.warn(
                    "{} is stored, but the connection was lost, so the original copy may still be there; its verdict is SUPERSEDED then",
                    operation);
        }
        events.moved(operation, delivery.message().queue(), edited.wire());
    }

    private void send(Edited edited) {
        try {
            sender.send(new OutboundMessage(edited.wire(), new Route.Poison(node), Duration.ZERO))
                    .await();
        } catch (InvalidPublicationException e) {
            throw Edits.refused(edited.wire(), e.messageWithoutCode());
        } catch (NackedException e) {
            if (e.isTooLarge()) { // the broker would refuse it again
                throw Edits.refused(edited.wire(), "With the new body it is larger than the broker takes.");
            }
            throw e;
        }
    }

    private static boolean isRemoved(Delivery delivery) {
        if (!delivery.isOpen()) {
            return false;
        }
        try {
            delivery.acknowledge();
            return true;
        } catch (BrowsingException e) {
            LOG.debug("The connection was lost while a copy was removed", e);
            return false;
        }
    }

    private MisuseException inTheWay(String why) {
        return new MisuseException(
                MisuseException.BUSY,
                "The edit was not applied as asked [message=%s]: %s Check the copies of the message (PoisonMessages.find, or GET safebunnypoison/{id}), and repeat the edit if it is still needed."
                        .formatted(Names.printable(edit.messageId()), why));
    }

    private MisuseException none() {
        return new MisuseException(
                MisuseException.COPY,
                "There is no such copy [message=%s, digest=%s]: it was replayed, discarded or edited, or another operation has it. Check the copies of the message (PoisonMessages.find, or GET safebunnypoison/{id}), on the node that has set it aside."
                        .formatted(Names.printable(edit.messageId()), Names.printable(edit.digest())));
    }
}
