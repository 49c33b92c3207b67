// SPDX-License-Identifier: Apache-2.0
package io.safebunny.actuate;

import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Result;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.time.Timeline;
import java.security.Principal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.MimeType;

/**
 * The node: what it is, and pausing its types. Every parameter may be missing as far as Spring is concerned, so that the answer can
 * say which one is and what to write. Thread-safe.
 */
@WebEndpoint(id = "safebunny")
final class NodeEndpoint {

    private static final MimeType PROBLEM = new MimeType("application", "problem+json");

    private final NodeViews views;
    private final BunnyOperations operations;
    private final ApplicationEventPublisher publisher;
    private final Timeline timeline;

    NodeEndpoint(NodeViews views, BunnyOperations operations, ApplicationEventPublisher publisher, Timeline timeline) {
        this.views = views;
        this.operations = operations;
        this.publisher = publisher;
        this.timeline = timeline;
    }

    @ReadOperation
    Map<String, Object> overview() {
        return views.overview();
    }

    @ReadOperation
    WebEndpointResponse<Object> section(@Selector String section) {
        Supplier<Map<String, Object>> view = views.sections().get(section);
        return view == null
                ? problem(
                        404,
                        "",
                        "Unknown section [section=%s]: there are %s."
                                .formatted(
                                        Names.printable(section),
                                        views.sections().keySet()))
                : new WebEndpointResponse<>(view.get());
    }

    @WriteOperation
    WebEndpointResponse<Object> change(
            @Selector String section,
            @Selector String name,
            SecurityContext security,
            @Nullable String state,
            @Nullable String duration,
            @Nullable String scope,
            @Nullable String reason) {
        if (!"breakers".equals(section)) {
            return problem(
                    404,
                    "",
                    "Nothing can be changed there [section=%s]: post to breakers/{type}."
                            .formatted(Names.printable(section)));
        }
        try {
            return new WebEndpointResponse<>(pauseOrResume(name, by(security), state, duration, scope, reason));
        } catch (MisuseException e) {
            return problem(MisuseException.TYPE.equals(e.code()) ? 404 : 400, e.code(), e.messageWithoutCode());
        }
    }

    private Result pauseOrResume(
            String type,
            String by,
            @Nullable String state,
            @Nullable String duration,
            @Nullable String scope,
            @Nullable String reason) {
        boolean open = "open".equals(oneOf("state", state, "open", "closed"));
        boolean node = "node".equals(oneOf("scope", scope == null ? "node" : scope, "node", "instance"));
        Scope where = node ? Scope.NODE : Scope.INSTANCE;
        String why = reason == null ? "" : reason;
        Result result = open
                ? operations.pause(type, parse(duration), where, why, by)
                : operations.resume(type, where, why, by);
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("operation", result.operation());
        data.put("type", type);
        data.put("scope", where);
        data.put("reason", Names.printable(why, 500));
        publisher.publishEvent(new AuditApplicationEvent(
                new AuditEvent(timeline.now(), by, open ? "SAFEBUNNY_PAUSE" : "SAFEBUNNY_RESUME", data)));
        return result;
    }

    private static String by(SecurityContext security) {
        Principal principal = security.getPrincipal();
        String name = principal == null ? "" : Names.printable(principal.getName(), 99);
        return name.isBlank() ? "anonymous" : name;
    }

    private static String oneOf(String what, @Nullable String value, String one, String other) {
        if (value != null && (value.equals(one) || value.equals(other))) {
            return value;
        }
        throw wrong(what, value, "it must be %s or %s".formatted(one, other));
    }

    private static Duration parse(@Nullable String duration) {
        if (duration != null && !duration.matches("\\d*")) { // Spring takes a number alone as milliseconds
            try {
                return DurationStyle.detectAndParse(duration);
            } catch (IllegalArgumentException | ArithmeticException e) {
                // answered as every other value that is none
            }
        }
        throw wrong("duration", duration, "it must be a number with a unit, such as 30s, 10m or 2h");
    }

    private static MisuseException wrong(String what, @Nullable String value, String needs) {
        return new MisuseException(
                MisuseException.ARGUMENT,
                "Invalid operation [%s=%s]: %s. Nothing was changed."
                        .formatted(what, value == null ? "missing" : Names.printable(value), needs));
    }

    private static WebEndpointResponse<Object> problem(int status, String code, String detail) {
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("title", status == 404 ? "Not Found" : "Bad Request");
        problem.put("status", status);
        problem.put("detail", detail);
        if (!code.isEmpty()) {
            problem.put("code", code);
        }
        return new WebEndpointResponse<>(problem, status, PROBLEM);
    }
}
