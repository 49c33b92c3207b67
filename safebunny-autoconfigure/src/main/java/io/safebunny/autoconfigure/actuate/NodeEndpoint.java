// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Result;
import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.autoconfigure.actuate.http.KnownParametersOnly;
import io.safebunny.message.Names;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.RunState;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Shows the node, and pauses its types. For Spring all parameters are optional, so that our own response can name the missing one and say
 * what to write. {@link KnownParametersOnly} explains why selectors take the rest of the path. Thread-safe.
 */
@WebEndpoint(id = "safebunny")
final class NodeEndpoint {

    /** Sections that have one entry per message type. */
    private static final Set<String> OF_TYPES = Set.of("breakers", "handlers");

    private static final Set<String> BREAKERS = Set.of("breakers");
    private static final Set<String> OPERATIONS = Set.of("operations");

    private final NodeViews views;
    private final BunnyOperations operations;
    private final OperationViews poison;
    private final SagaSection sagas;
    private final Audit audit;

    NodeEndpoint(NodeViews views, BunnyOperations operations, OperationViews poison, SagaSection sagas, Audit audit) {
        this.views = views;
        this.operations = operations;
        this.poison = poison;
        this.sagas = sagas;
        this.audit = audit;
    }

    @ReadOperation
    Map<String, Object> overview() {
        return views.overview();
    }

    /** Shows a section, or one of its entries. */
    @ReadOperation
    WebEndpointResponse<Object> look(
            @Selector(match = Match.ALL_REMAINING) String[] path,
            SecurityContext security,
            @Nullable String saga,
            @Nullable String sagaId,
            @Nullable String state,
            @Nullable String after,
            @Nullable String limit) {
        SagaLook asked = new SagaLook(saga, sagaId, state, after, limit);
        if (SagaSection.isNamed(path) && (path.length > 1 || !asked.isForCounts())) {
            return sagas.look(path, asked, security);
        }
        return Answers.of(() -> {
            asked.requireNothing();
            return path.length == 1 ? section(path[0]) : entry(path);
        });
    }

    private WebEndpointResponse<Object> section(String section) {
        return Answers.found(
                () -> {
                    Supplier<Map<String, Object>> view = views.sections().get(section);
                    return view == null ? null : view.get();
                },
                "Unknown section [section=%s]: there are %s."
                        .formatted(Names.printable(section), views.sections().keySet()));
    }

    private WebEndpointResponse<Object> entry(String[] path) {
        return Answers.found(
                () -> {
                    String type = below(OF_TYPES, path);
                    Supplier<Map<String, Object>> types =
                            type == null ? null : views.sections().get(path[0]);
                    if (types != null) {
                        return types.get().get(type);
                    }
                    PoisonOperation operation = operation(path);
                    return operation == null ? null : OperationViews.detailed(operation);
                },
                "Not found %s: breakers/{type} and handlers/{type} show the types that this node handles, and operations/{operation} shows one of the last 100 operations on poison messages that this instance started. Leave out the name for a list."
                        .formatted(shown(path)));
    }

    /** The name of the entry, if the path is one of an entry in these sections; {@code null} for other paths. */
    private static @Nullable String below(Set<String> sections, String[] path) {
        return path.length == 2 && sections.contains(path[0]) ? path[1] : null;
    }

    private @Nullable PoisonOperation operation(String[] path) {
        String id = below(OPERATIONS, path);
        return id == null ? null : poison.find(id);
    }

    private static String shown(String[] path) {
        return "[section=%s, name=%s]"
                .formatted(
                        path.length == 0 ? "none" : Names.printable(path[0]),
                        path.length < 2
                                ? "none"
                                : Names.printable(Stream.of(path).skip(1).collect(Collectors.joining("/"))));
    }

    /** Cancels an operation before its next message. */
    @DeleteOperation
    WebEndpointResponse<Object> cancel(@Selector(match = Match.ALL_REMAINING) String[] path, SecurityContext security) {
        return Answers.found(
                () -> {
                    PoisonOperation operation = operation(path);
                    if (operation == null) {
                        return null;
                    }
                    if (operation.progress().state() == RunState.RUNNING) {
                        operation.cancel();
                        audit.cancelled(operation, Asked.by(security));
                        PoisonChanges.awaitEnd(operation);
                    }
                    return OperationViews.detailed(operation);
                },
                "Nothing to cancel %s: use DELETE operations/{operation} with one of the last 100 operations that this instance started. To end a pause, POST breakers/{type} with the state closed; to end a saga, POST sagas/{id} with the action fail."
                        .formatted(shown(path)));
    }

    @WriteOperation
    WebEndpointResponse<Object> change(
            @Selector(match = Match.ALL_REMAINING) String[] path,
            SecurityContext security,
            @Nullable String state,
            @Nullable String duration,
            @Nullable String scope,
            @Nullable String action,
            @Nullable String saga,
            @Nullable String sagaId,
            @Nullable String step,
            @Nullable String version,
            @Nullable String reason) {
        if (SagaSection.isNamed(path)) {
            return Answers.of(() -> {
                Asked.absent("duration", duration, "it is for breakers only");
                Asked.absent("scope", scope, "it is for breakers only");
                return sagas.repair(
                        path,
                        SagaLook.one(saga, sagaId),
                        SagaRepair.asked(action, step, version, state, reason),
                        security);
            });
        }
        return Answers.found(
                () -> {
                    SagaLook.one(saga, sagaId).requireNothing();
                    SagaRepair.requireNothing(action, step, version);
                    String type = below(BREAKERS, path);
                    return type == null
                            ? null
                            : pauseOrResume(
                                    type, PauseAction.asked(state, duration, scope, reason), Asked.by(security));
                },
                "Nothing to change %s: use POST breakers/{type} or POST sagas/{id}. To cancel an operation, use DELETE operations/{operation}."
                        .formatted(shown(path)));
    }

    private Result pauseOrResume(String type, PauseAction action, String by) {
        Result result = action.carryOut(operations, type, by);
        audit.paused(type, action, by, result.operation());
        return result;
    }
}
