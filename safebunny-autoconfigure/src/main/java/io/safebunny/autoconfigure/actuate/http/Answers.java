// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.http;

import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.poison.PoisonOperation;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.MimeType;

/** HTTP responses of the endpoints: the result, or a problem in the form of RFC 9457. Pure. */
public final class Answers {

    private static final MimeType PROBLEM = new MimeType("application", "problem+json");
    private static final MimeType JSON = new MimeType("application", "json");
    private static final MimeType PLAIN_TEXT = new MimeType("text", "plain", StandardCharsets.UTF_8);

    private static final int BAD_REQUEST = 400;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int FAULT = 500;
    private static final int UNAVAILABLE = 503;

    private static final Map<Integer, String> TITLES = Map.of(
            BAD_REQUEST, "Bad Request",
            FORBIDDEN, "Forbidden",
            NOT_FOUND, "Not Found",
            CONFLICT, "Conflict",
            FAULT, "Internal Server Error",
            UNAVAILABLE, "Service Unavailable");

    private Answers() {}

    /** Maps a result or an exception to an HTTP response. */
    public static WebEndpointResponse<Object> of(Supplier<? extends @Nullable Object> answer) {
        try {
            Object body = answer.get();
            return body instanceof WebEndpointResponse<?> made
                    ? new WebEndpointResponse<>(made.getBody(), made.getStatus(), made.getContentType())
                    : new WebEndpointResponse<>(body);
        } catch (SafeBunnyException e) {
            return problem(e, null);
        }
    }

    /** @param operation the operation that failed; {@code null} if none was started */
    public static WebEndpointResponse<Object> problem(SafeBunnyException e, @Nullable PoisonOperation operation) {
        return problem(status(e.code()), e.code(), e.messageWithoutCode(), operation);
    }

    /** The response for an operation that has already failed. */
    public static WebEndpointResponse<Object> failed(PoisonOperation operation) {
        PoisonOperation.Progress progress = operation.progress();
        String failure = String.valueOf(progress.failure());
        String code = progress.failureCode();
        return code == null
                ? problem(FAULT, "", failure, operation)
                : problem(status(code), code, failure.substring(code.length() + 1), operation);
    }

    /** 503 only for a temporary failure, so that a retry is worthwhile. */
    private static int status(String code) {
        return switch (code) {
            case MisuseException.ARGUMENT, MisuseException.POISON -> BAD_REQUEST;
            case MisuseException.TYPE, MisuseException.COPY, MisuseException.SAGA, MisuseException.SCHEDULING ->
                NOT_FOUND;
            case MisuseException.BUSY, MisuseException.REPAIR, MisuseException.INCIDENT, MisuseException.TOO_LATE ->
                CONFLICT;
            case MisuseException.NOT_RUNNING,
                    BrowsingException.UNAVAILABLE,
                    "SB-2002", // refused, for example because the queue is full
                    "SB-2003", // not confirmed in time
                    "SB-2004", // the connection was lost
                    "SB-2006", // not started, or stopping
                    "SB-3019", // keys cannot be had at the moment
                    "SB-4001" -> UNAVAILABLE; // the store does not answer
            default -> FAULT;
        };
    }

    /** Like {@link #of}; if the supplier returns {@code null}, the response says what is missing. */
    public static WebEndpointResponse<Object> found(Supplier<? extends @Nullable Object> answer, String missing) {
        WebEndpointResponse<Object> response = of(answer);
        return response.getStatus() == WebEndpointResponse.STATUS_OK && response.getBody() == null
                ? problem(NOT_FOUND, "", missing, null)
                : response;
    }

    /**
     * The response if something is not where it was looked for.
     *
     * @param where more of the problem: where it is instead
     */
    public static WebEndpointResponse<Object> elsewhere(String detail, Map<String, Object> where) {
        return problem(NOT_FOUND, detail, where);
    }

    /**
     * The response if something cannot be done here.
     *
     * @param where more of the problem: where it can
     */
    public static WebEndpointResponse<Object> conflict(String detail, Map<String, Object> where) {
        return problem(CONFLICT, detail, where);
    }

    private static WebEndpointResponse<Object> problem(int status, String detail, Map<String, Object> more) {
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("title", TITLES.get(status));
        problem.put("status", status);
        problem.put("detail", detail);
        problem.putAll(more);
        return new WebEndpointResponse<>(problem, status, PROBLEM);
    }

    /** JSON as it is. */
    public static WebEndpointResponse<Object> json(String json) {
        return new WebEndpointResponse<>(json.getBytes(StandardCharsets.UTF_8), WebEndpointResponse.STATUS_OK, JSON);
    }

    /** Plain text for people. */
    public static WebEndpointResponse<Object> text(String text) {
        return new WebEndpointResponse<>(
                text.getBytes(StandardCharsets.UTF_8), WebEndpointResponse.STATUS_OK, PLAIN_TEXT);
    }

    /** The response to a user without a right. */
    public static WebEndpointResponse<Object> forbidden(String detail) {
        return problem(FORBIDDEN, "", detail, null);
    }

    private static WebEndpointResponse<Object> problem(
            int status, String code, String detail, @Nullable PoisonOperation operation) {
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("title", TITLES.get(status));
        problem.put("status", status);
        problem.put("detail", detail);
        if (!code.isEmpty()) {
            problem.put("code", code);
        }
        if (operation != null) {
            problem.put("operation", operation.id());
            problem.put(
                    "moved",
                    operation.request().dryRun() ? 0 : operation.progress().moved());
        }
        return new WebEndpointResponse<>(problem, status, PROBLEM);
    }
}
