// SPDX-License-Identifier: Apache-2.0
package io.safebunny.actuate;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonOperation.State;
import io.safebunny.poison.PoisonRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/** The messages that the node has set aside, and what is done with them. Every parameter may be missing, as in the other one. Thread-safe. */
@WebEndpoint(id = "safebunnypoison")
final class PoisonEndpoint {

    private static final String REPLAY = "replay";
    private static final String DISCARD = "discard";
    private static final String RESTORE = "restore";
    private static final String EDIT = "edit";
    private static final List<String> MOVES = List.of(REPLAY, DISCARD, RESTORE);
    private static final List<String> ACTIONS = List.of(REPLAY, DISCARD, RESTORE, EDIT);
    private static final int SHOWN = 100;
    private static final int MOST_SHOWN = 1_000;
    private static final int MOVED = 1_000;
    private static final int MOST_MOVED = 100_000;
    /** An answer that waits this long has the end of what concerns a few messages. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final PoisonMessages poison;
    private final PoisonViews views;
    private final Predicate<SecurityContext> showsBodies;
    private final Audit audit;
    private final Supplier<Set<String>> types;

    /** @param types that the node handles */
    PoisonEndpoint(
            PoisonMessages poison,
            PoisonViews views,
            Predicate<SecurityContext> showsBodies,
            Audit audit,
            Supplier<Set<String>> types) {
        this.poison = poison;
        this.views = views;
        this.showsBodies = showsBodies;
        this.audit = audit;
        this.types = types;
    }

    @ReadOperation
    WebEndpointResponse<Object> list(
            @Nullable String type,
            @Nullable String reason,
            @Nullable String exception,
            @Nullable String correlation,
            @Nullable String limit,
            @Nullable String archived) {
        return Answers.of(() -> {
            PoisonFilter filter = PoisonFilter.all()
                    .withType(type)
                    .withReason(reason)
                    .withException(exception)
                    .withCorrelationId(correlation)
                    .withLimit(Asked.number("limit", limit, SHOWN, MOST_SHOWN));
            return PoisonViews.list(Asked.flag("archived", archived) ? poison.archived(filter) : poison.list(filter));
        });
    }

    @ReadOperation
    WebEndpointResponse<Object> look(@Selector String id, SecurityContext security) {
        return Answers.found(
                () -> {
                    List<PoisonCopy> copies = poison.find(id);
                    return copies.isEmpty() ? null : views.copies(copies, showsBodies.test(security));
                },
                missing(id));
    }

    private static String missing(String id) {
        return "No such copy of this message is there [id=%s]. Perhaps somebody is looking at it or moving it just now."
                .formatted(Names.printable(id));
    }

    @WriteOperation
    WebEndpointResponse<Object> change(
            SecurityContext security,
            @Nullable String action,
            @Nullable String type,
            @Nullable String poisonReason,
            @Nullable String exception,
            @Nullable String correlation,
            @Nullable String limit,
            @Nullable String rate,
            @Nullable String dryRun,
            @Nullable String forced,
            @Nullable String reason) {
        return Answers.of(() -> {
            PoisonFilter filter = PoisonFilter.all()
                    .withType(REPLAY.equals(action) ? handled(type) : type)
                    .withReason(poisonReason)
                    .withException(exception)
                    .withCorrelationId(correlation)
                    .withLimit(Asked.number("limit", limit, MOVED, MOST_MOVED));
            PoisonRequest request = request(filter, security, reason, dryRun, forced);
            return OperationViews.detailed(begin(action, MOVES, request.atRate(Asked.decimal("rate", rate, 0))));
        });
    }

    private @Nullable String handled(@Nullable String type) {
        if (type != null && !types.get().contains(type)) {
            throw new MisuseException(
                    MisuseException.TYPE,
                    "No handler of this node takes the type [type=%s]: it handles %s. Nothing was moved."
                            .formatted(Names.printable(type), types.get()));
        }
        return type;
    }

    @WriteOperation
    WebEndpointResponse<Object> changeOne(
            @Selector String id,
            SecurityContext security,
            @Nullable String action,
            @Nullable String copy,
            @Nullable String body,
            @Nullable String dryRun,
            @Nullable String forced,
            @Nullable String reason) {
        return Answers.found(
                () -> EDIT.equals(action)
                        ? edit(id, security, copy, body, reason)
                        : moveOne(id, security, action, copy, dryRun, forced, reason),
                missing(id));
    }

    private @Nullable Map<String, Object> edit(
            String id,
            SecurityContext security,
            @Nullable String copy,
            @Nullable String body,
            @Nullable String reason) {
        PoisonEdit edit = new PoisonEdit(
                id,
                Asked.present("copy", copy),
                Asked.present("body", body).getBytes(StandardCharsets.UTF_8),
                Asked.by(security),
                reason == null ? "" : reason);
        try {
            PoisonOperation operation = poison.edit(edit);
            audit.begun(operation);
            return OperationViews.detailed(operation);
        } catch (MisuseException e) {
            if (poison.find(id).isEmpty()) {
                return null;
            }
            throw e;
        }
    }

    private @Nullable Map<String, Object> moveOne(
            String id,
            SecurityContext security,
            @Nullable String action,
            @Nullable String copy,
            @Nullable String dryRun,
            @Nullable String forced,
            @Nullable String reason) {
        PoisonFilter filter =
                PoisonFilter.all().withMessageId(id).withDigest(copy).withLimit(SHOWN);
        PoisonOperation operation = begin(action, ACTIONS, request(filter, security, reason, dryRun, forced));
        Progress progress = operation.progress();
        boolean none = progress.state() == State.ENDED && progress.matched() == 0;
        return none ? null : OperationViews.detailed(operation);
    }

    private static PoisonRequest request(
            PoisonFilter filter,
            SecurityContext security,
            @Nullable String reason,
            @Nullable String dryRun,
            @Nullable String forced) {
        PoisonRequest request = PoisonRequest.of(filter, Asked.by(security), reason == null ? "" : reason);
        request = Asked.flag("dryRun", dryRun) ? request.asDryRun() : request;
        return Asked.flag("forced", forced) ? request.withForce() : request;
    }

    private PoisonOperation begin(@Nullable String action, List<String> actions, PoisonRequest request) {
        PoisonOperation operation =
                switch (Asked.oneOf("action", action, actions)) {
                    case DISCARD -> poison.discard(request);
                    case RESTORE -> poison.restore(request);
                    default -> poison.replay(request);
                };
        audit.begun(operation);
        try {
            operation.await(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it goes on, and so its id is what matters
        }
        return operation;
    }
}
