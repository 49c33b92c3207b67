// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import com.rabbitmq.client.AMQP;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.rabbit.preflight.LeftOvers.Found;
import io.safebunny.rabbit.preflight.LeftOvers.LeftQueue;
import io.safebunny.rabbit.preflight.ManagementApi.UnaskedException;
import io.safebunny.rabbit.topology.Declarations;
import io.safebunny.rabbit.topology.Permissions;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.Binding;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/**
 * Removes the queues and bindings that a node does not need any more: bindings first, then the queues that are empty and that nobody
 * consumes. Queues with messages are unbound and stay. Both methods tell each step as they do it, so that it is known what was done before a
 * failure. Thread-safe.
 *
 * <p>A quorum queue cannot be deleted on the condition that it is empty. Its messages are counted after it was unbound, so it takes a message
 * sent to it by name, or a start of another version, in the milliseconds between the count and the deletion, to be lost.
 */
public final class Pruning {

    /** The management API's figures of unacknowledged messages are up to ten seconds late. */
    static final Duration SETTLED = Duration.ofSeconds(15);

    private static final String OUT_OF_ORDER =
            " What is moved comes after later messages of its key: to keep the order, start a version with as many shards as there were, and let it handle them.";

    private final LeftOvers leftOvers;
    private final Permissions permissions;
    private final Topology planned;
    private final String virtualHost;
    private final Timeline timeline;

    Pruning(Topology planned, ManagementApi broker, String virtualHost, Timeline timeline) {
        this.leftOvers = new LeftOvers(planned, broker);
        this.permissions = new Permissions(planned);
        this.planned = planned;
        this.virtualHost = virtualHost;
        this.timeline = timeline;
    }

    @FunctionalInterface
    private interface Look<T> {
        T look() throws UnaskedException, InterruptedException;
    }

    private static <T> T ask(Look<T> look) throws InterruptedException {
        try {
            return look.look();
        } catch (UnaskedException e) {
            throw new ConfigurationException(
                    "SB-1301", "It is not known what is left over: " + e.getMessage() + ".", "Then run this again.");
        }
    }

    /**
     * Tells what {@link #apply} would do; changes nothing.
     *
     * @param out gets a line at a time
     * @return whether nothing is left over
     * @throws ConfigurationException SB-1301 if the management API cannot be asked
     */
    public boolean list(Consumer<String> out) throws InterruptedException {
        Found found = ask(leftOvers::find);
        found.bindings().forEach(binding -> out.accept("- " + described(binding)));
        for (LeftQueue queue : found.queues()) {
            String kept = kept(queue);
            if (kept != null) {
                out.accept(kept);
            } else if (queue.isEmpty()) {
                out.accept("- queue '%s' with %s bindings: it is empty, and nobody consumes it"
                        .formatted(queue.name(), queue.bindings().size()));
            } else {
                out.accept("! queue '%s': its %s bindings would be removed, and it would be kept: %s"
                        .formatted(queue.name(), queue.bindings().size(), waiting(queue)));
            }
        }
        found.doubts().forEach(doubt -> out.accept("? " + doubt));
        return ended(
                found.bindings().size() + found.queues().size() + found.doubts().size(),
                "%s bindings and %s queues are left over, %s are left alone. Nothing was changed: --safebunny.topology=prune-apply removes what begins with -. Stop all instances of other versions first: one that has paused a type does not consume it, and nobody sees that it needs the queue"
                        .formatted(
                                found.bindings().size(),
                                found.queues().size(),
                                found.doubts().size()),
                out);
    }

    private static boolean ended(int left, String summary, Consumer<String> out) {
        out.accept(left == 0 ? "Nothing is left over" : summary);
        return left == 0;
    }

    /** Why the queue is not touched; {@code null} if it may be. */
    private static @Nullable String kept(LeftQueue queue) {
        if (queue.doubt() != null) {
            return "? " + queue.doubt();
        }
        QueueDepth depth = queue.depth();
        if (depth == null) {
            return "? Queue '%s' is left alone: the broker has not told yet how full it is. Run this again in some seconds"
                    .formatted(queue.name());
        }
        return queue.isConsumed() ? consumed(queue, depth.consumers()) : null;
    }

    private static String consumed(LeftQueue queue, long consumers) {
        return "! queue '%s' is kept with its bindings: it has %s consumers%s, so an instance of another version handles %s. Stop it first"
                .formatted(
                        queue.name(),
                        consumers,
                        queue.consumers().isEmpty() ? "" : " (" + String.join(", ", queue.consumers()) + ")",
                        queue.type());
    }

    /** What waits in the queue, and what to do with it. */
    private String waiting(LeftQueue queue) throws InterruptedException {
        QueueDepth depth = queue.depth();
        String counts = depth == null
                ? "the broker has not told how full it is"
                : "%s messages wait, %s are unacknowledged".formatted(depth.ready(), depth.unacknowledged());
        List<String> takers = ask(() -> leftOvers.takers(queue));
        return counts
                + (takers.isEmpty()
                        ? ". No queue takes %s now. If they are needed, run the version that handles them until the queue is empty; otherwise delete them with the queue: rabbitmqctl delete_queue -p '%s' '%s'"
                                .formatted(queue.type(), virtualHost, queue.name())
                        : ". %s is handled in %s now.%s To move them, with the plugin rabbitmq_shovel: rabbitmqctl set_parameter -p '%s' shovel '%s' '%s'"
                                .formatted(
                                        queue.type(),
                                        quoted(takers),
                                        Topology.isShard(queue.name()) ? OUT_OF_ORDER : "",
                                        virtualHost,
                                        queue.name(),
                                        shovel(queue.name(), takers.get(0))));
    }

    private static String quoted(List<String> names) {
        return "'" + String.join("', '", names) + "'";
    }

    private String shovel(String from, String to) {
        String uri = "amqp:///" + ManagementApi.encoded(virtualHost);
        return "{\"src-protocol\":\"amqp091\",\"src-uri\":\"%s\",\"src-queue\":\"%s\",\"src-delete-after\":\"queue-length\",\"dest-protocol\":\"amqp091\",\"dest-uri\":\"%s\",\"dest-queue\":\"%s\"}"
                .formatted(uri, from, uri, to);
    }

    /**
     * Removes what is left over. Waits 15 s between unbinding queues and deleting them.
     *
     * @param out gets a line at a time, when it is done
     * @return whether nothing is left over any more
     * @throws ConfigurationException SB-1204 for a missing permission; SB-1301 if the management API cannot be asked
     * @throws AmqpException if the broker cannot be reached or the connection is lost
     */
    public boolean apply(ConnectionFactory broker, Consumer<String> out) throws InterruptedException {
        Found found = ask(leftOvers::find);
        List<String> kept = new ArrayList<>(
                found.doubts().stream().map(doubt -> "? " + doubt).toList());
        List<LeftQueue> removable = new ArrayList<>();
        for (LeftQueue queue : found.queues()) {
            String reason = kept(queue);
            if (reason == null) {
                removable.add(queue);
            } else {
                kept.add(reason);
            }
        }
        kept.forEach(out);
        List<LeftQueue> unbound = on(broker, declarations -> unbind(found.bindings(), removable, declarations, out));
        int left = kept.size() + removable.size() - unbound.size();
        if (!unbound.isEmpty()) {
            out.accept("Looking again in %s s, because the broker tells late what is in work"
                    .formatted(SETTLED.toSeconds()));
            timeline.sleep(SETTLED);
            for (LeftQueue queue : unbound) {
                LeftQueue now = ask(() -> Optional.ofNullable(leftOvers.find(queue.name())))
                        .orElse(null);
                String hint = now == null || now.isEmpty() ? "" : waiting(now);
                left += on(broker, declarations -> delete(queue, now, hint, declarations, out)) ? 0 : 1;
            }
        }
        return ended(left, left + " are left over or left alone, see above", out);
    }

    @FunctionalInterface
    private interface Step<T> {
        T take(Declarations declarations) throws IOException;
    }

    private <T> T on(ConnectionFactory broker, Step<T> step) {
        return RabbitTopology.on(broker, connection -> {
            try (Declarations declarations = Declarations.on(connection, planned)) {
                return step.take(declarations);
            }
        });
    }

    /** @return those queues that nobody consumes even now */
    private List<LeftQueue> unbind(
            List<Binding> bindings, List<LeftQueue> queues, Declarations broker, Consumer<String> out)
            throws IOException {
        for (LeftQueue queue : queues) {
            requireToDelete(queue, broker);
        }
        for (Binding binding : bindings) {
            unbind(binding, broker);
            out.accept("- %s: removed".formatted(described(binding)));
        }
        List<LeftQueue> unbound = new ArrayList<>();
        for (LeftQueue queue : queues) {
            AMQP.Queue.DeclareOk counted = counted(queue.name(), broker);
            if (counted != null && counted.getConsumerCount() > 0) {
                out.accept(consumed(queue, counted.getConsumerCount()));
                continue;
            }
            for (Binding binding : queue.bindings()) {
                unbind(binding, broker);
            }
            if (!queue.bindings().isEmpty()) {
                out.accept("- %s bindings of queue '%s': removed"
                        .formatted(queue.bindings().size(), queue.name()));
            }
            unbound.add(queue);
        }
        return unbound;
    }

    /** Declares the queue as it is, which needs the permission that deleting it needs. Nothing has been changed yet. */
    private void requireToDelete(LeftQueue queue, Declarations broker) throws IOException {
        String what = "queue '" + queue.name() + "'";
        AMQP.Channel.Close refusal = broker.refusal(
                what, channel -> channel.queueDeclare(queue.name(), true, false, false, queue.arguments()));
        requireAllowed("configure", what, refusal);
    }

    private void unbind(Binding binding, Declarations broker) throws IOException {
        requireAllowed(
                "write",
                described(binding),
                broker.refusal(
                        described(binding),
                        channel -> channel.queueUnbind(
                                binding.queue(), binding.exchange(), binding.routingKey(), Map.of())));
    }

    /** What does not exist any more is as it should be. */
    private void requireAllowed(String permission, String what, AMQP.Channel.@Nullable Close refusal) {
        if (refusal != null && refusal.getReplyCode() == AMQP.ACCESS_REFUSED) {
            throw permissions.missingToRemove(permission, what, refusal.getReplyText());
        }
    }

    /** @return {@code null} if the queue does not exist */
    private static AMQP.Queue.@Nullable DeclareOk counted(String queue, Declarations broker) throws IOException {
        AtomicReference<AMQP.Queue.@Nullable DeclareOk> counted = new AtomicReference<>();
        AMQP.Channel.Close refusal =
                broker.refusal("queue '" + queue + "'", channel -> counted.set(channel.queueDeclarePassive(queue)));
        return refusal == null ? counted.get() : null;
    }

    /**
     * @param before as it was before it was unbound
     * @param now as the management API has it now; {@code null} if it does not exist
     * @param hint what to do with its messages
     * @return whether the queue is gone
     */
    private boolean delete(
            LeftQueue before, @Nullable LeftQueue now, String hint, Declarations broker, Consumer<String> out)
            throws IOException {
        String name = before.name();
        if (now == null) {
            out.accept("- queue '%s': somebody else has deleted it".formatted(name));
            return true;
        }
        AMQP.Queue.DeclareOk counted = counted(name, broker);
        if (counted == null) {
            out.accept("! queue '%s' is unbound, and kept: the broker does not tell what is in it now".formatted(name));
            return false;
        }
        if (counted.getConsumerCount() > 0
                || now.isConsumed()
                || !now.bindings().isEmpty()) {
            for (Binding binding : before.bindings()) {
                broker.bindQueue(name, binding.exchange(), binding.routingKey(), Map.of());
            }
            out.accept(
                    "! queue '%s' is kept and bound again: an instance of another version has begun to use it. What was published in between is not in it"
                            .formatted(name));
            return false;
        }
        if (!now.isEmpty() || counted.getMessageCount() > 0) {
            out.accept("! queue '%s' is unbound, and kept until it is empty: %s"
                    .formatted(name, hint.isEmpty() ? counted.getMessageCount() + " messages have come" : hint));
            return false;
        }
        return delete(now, broker, out);
    }

    /** Classic queues are deleted on the condition that they are empty and unused; of quorum queues the broker does not know it. */
    private boolean delete(LeftQueue queue, Declarations broker, Consumer<String> out) throws IOException {
        boolean isQuorum = "quorum".equals(queue.arguments().get("x-queue-type"));
        try {
            String what = "queue '" + queue.name() + "'";
            requireAllowed(
                    "configure",
                    what,
                    broker.refusal(what, channel -> channel.queueDelete(queue.name(), !isQuorum, !isQuorum)));
            out.accept("- %s: deleted".formatted(what));
            return true;
        } catch (ConfigurationException e) {
            if (e.code().equals(Permissions.MISSING)) {
                throw e;
            }
            out.accept("! queue '%s' is unbound, and kept: it is used or not empty any more".formatted(queue.name()));
            return false;
        }
    }

    private static String described(Binding binding) {
        return "binding of queue '%s' to %s".formatted(binding.queue(), Marking.described(binding));
    }
}
