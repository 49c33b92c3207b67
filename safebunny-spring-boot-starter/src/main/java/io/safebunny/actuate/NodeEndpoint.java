// SPDX-License-Identifier: Apache-2.0
package io.safebunny.actuate;

import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Result;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.message.Names;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.State;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * The node: what it is, and pausing its types. Every parameter may be missing as far as Spring is concerned, so that the answer can
 * say which one is and what to write; the names of selectors are explained at {@link KnownParametersOnly}. Thread-safe.
 */
@WebEndpoint(id = "safebunny")
final class NodeEndpoint {

    /** What these show has an entry for each type. */
    private static final Set<String> OF_TYPES = Set.of("breakers", "handlers");

    private final NodeViews views;
    private final BunnyOperations operations;
    private final OperationViews poison;
    private final Audit audit;

    NodeEndpoint(NodeViews views, BunnyOperations operations, OperationViews poison, Audit audit) {
        this.views = views;
        this.operations = operations;
        this.poison = poison;
        this.audit = audit;
    }

    @ReadOperation
    Map<String, Object> overview() {
        return views.overview();
    }

    @ReadOperation
    WebEndpointResponse<Object> section(@Selector String sectionInPath) {
        return Answers.found(
                () -> {
                    Supplier<Map<String, Object>> view = views.sections().get(sectionInPath);
                    return view == null ? null : view.get();
                },
                "Unknown section [section=%s]: there are %s."
                        .formatted(
                                Names.printable(sectionInPath), views.sections().keySet()));
    }

    @ReadOperation
    WebEndpointResponse<Object> entry(@Selector String sectionInPath, @Selector String nameInPath) {
        return Answers.found(
                () -> {
                    Supplier<Map<String, Object>> types =
                            OF_TYPES.contains(sectionInPath) ? views.sections().get(sectionInPath) : null;
                    if (types != null) {
                        return types.get().get(nameInPath);
                    }
                    PoisonOperation operation = operation(sectionInPath, nameInPath);
                    return operation == null ? null : OperationViews.detailed(operation);
                },
                missing(sectionInPath, nameInPath));
    }

    /** Ends an operation before its next message. */
    @DeleteOperation
    WebEndpointResponse<Object> cancel(
            @Selector String sectionInPath, @Selector String nameInPath, SecurityContext security) {
        return Answers.found(
                () -> {
                    PoisonOperation operation = operation(sectionInPath, nameInPath);
                    if (operation == null) {
                        return null;
                    }
                    if (operation.progress().state() == State.RUNNING) {
                        operation.cancel();
                        audit.cancelled(operation, Asked.by(security));
                        PoisonChanges.awaitEnd(operation);
                    }
                    return OperationViews.detailed(operation);
                },
                "Nothing can be ended there [section=%s, name=%s]: it must be operations/{operation}, one of the last 100 that this instance began. A pause is ended by POST breakers/{type} with the state closed."
                        .formatted(Names.printable(sectionInPath), Names.printable(nameInPath)));
    }

    private @Nullable PoisonOperation operation(String section, String name) {
        return "operations".equals(section) ? poison.find(name) : null;
    }

    private static String missing(String section, String name) {
        return "There is nothing of that name [section=%s, name=%s]: breakers/{type} and handlers/{type} have the types that this node handles, and operations/{operation} has one of the last 100 operations on poison messages that this instance began. Without the name each lists what it has."
                .formatted(Names.printable(section), Names.printable(name));
    }

    @WriteOperation
    WebEndpointResponse<Object> change(
            @Selector String sectionInPath,
            @Selector String nameInPath,
            SecurityContext security,
            @Nullable String state,
            @Nullable String duration,
            @Nullable String scope,
            @Nullable String reason) {
        return Answers.found(
                () -> "breakers".equals(sectionInPath)
                        ? pauseOrResume(nameInPath, Asked.by(security), state, duration, scope, reason)
                        : null,
                "Nothing can be changed there [section=%s]: post to breakers/{type}. An operation is ended by DELETE operations/{operation}."
                        .formatted(Names.printable(sectionInPath)));
    }

    private Result pauseOrResume(
            String type,
            String by,
            @Nullable String state,
            @Nullable String duration,
            @Nullable String scope,
            @Nullable String reason) {
        boolean open = "open".equals(Asked.oneOf("state", state, List.of("open", "closed")));
        boolean node = "node".equals(Asked.oneOf("scope", scope == null ? "node" : scope, List.of("node", "instance")));
        Scope where = node ? Scope.NODE : Scope.INSTANCE;
        String why = reason == null ? "" : reason;
        if (!open) {
            Asked.absent("duration", duration, "it is for the state open only");
        }
        Result result = open
                ? operations.pause(type, Asked.duration(duration), where, why, by)
                : operations.resume(type, where, why, by);
        audit.paused(open, by, result.operation(), type, where, why);
        return result;
    }
}
