// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import io.safebunny.failure.details.Causes;
import io.safebunny.message.Names;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonPointer;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.ValueInstantiationException;

/**
 * Explains why JSON could not be read or written. Jackson's own messages quote the offending value, so this shows only the kind and
 * location of the error, flaws of the class itself, and the message of an exception from the application's constructor.
 */
final class JsonReason {

    /** Packages whose exceptions may quote the values they were given. */
    private static final List<String> NOT_OF_THE_APPLICATION =
            List.of("java.", "javax.", "jdk.", "sun.", "com.sun.", "tools.jackson.", "com.fasterxml.");

    /** Prefix of Jackson's classes that find properties without calling application code. */
    private static final String CONFLICTS = "tools.jackson.databind.introspect.POJOPropert";

    private static final int LONGEST_PATH = 200;
    private static final int LONGEST_DEFINITION = 1_000;

    private JsonReason() {}

    static String ofWriting(JacksonException e) {
        String definition = definition(e);
        return (definition == null ? kind(e) : definition) + place(e);
    }

    /** What is wrong with the class. Jackson's text about this quotes a value only at its end, in brackets, which is cut off. */
    private static @Nullable String definition(JacksonException e) {
        String text = e.getOriginalMessage();
        boolean isOfTheClass = e instanceof InvalidDefinitionException
                || isThrownBy(CONFLICTS, e.getCause())
                || (e.getClass() == MismatchedInputException.class
                        && text.startsWith("Cannot construct instance of `"));
        return isOfTheClass
                ? Names.printable(text.replaceFirst("(?s) value \\(.*", " value"), LONGEST_DEFINITION)
                : null;
    }

    private static String kind(JacksonException e) {
        for (Throwable cause : Causes.of(e)) {
            if (cause instanceof StreamConstraintsException limit) {
                return JsonLimits.reason(limit);
            }
        }
        String text = e.getOriginalMessage();
        if (text.startsWith("Cannot coerce Floating-point value")) {
            return "a number with a fraction, or too large, for a whole one";
        }
        return text.startsWith("Duplicate Object property")
                ? "duplicate property"
                : e.getClass().getSimpleName();
    }

    /** @param body returns the node at a pointer into the body; a missing node if there is none */
    static String ofReading(JacksonException e, Function<JsonPointer, JsonNode> body) {
        String absent = e instanceof MismatchedInputException mismatch ? absent(mismatch, body) : null;
        if (absent != null) {
            return absent;
        }
        Throwable cause = e instanceof ValueInstantiationException ? e.getCause() : null;
        return ofWriting(e) + (cause == null ? "" : ": " + thrown(cause));
    }

    /** Names the missing or null property; {@code null} if that is not the cause. */
    private static @Nullable String absent(MismatchedInputException e, Function<JsonPointer, JsonNode> body) {
        List<JacksonException.Reference> path = e.getPath();
        String message = e.getOriginalMessage();
        if (path.isEmpty() || !(message.startsWith("Cannot map `null`") || message.startsWith("Missing "))) {
            return null;
        }
        String property = path.get(path.size() - 1).getPropertyName();
        if (property == null) {
            return null;
        }
        try {
            return (body.apply(pointer(path)).isMissingNode() ? "missing property '%s'" : "property '%s' is null")
                    .formatted(path(e));
        } catch (JacksonException broken) { // the body has a syntax error further along
            return null;
        }
    }

    private static JsonPointer pointer(List<JacksonException.Reference> path) {
        JsonPointer pointer = JsonPointer.empty();
        for (JacksonException.Reference step : path) {
            pointer = step.getPropertyName() == null
                    ? pointer.appendIndex(step.getIndex())
                    : pointer.appendProperty(step.getPropertyName());
        }
        return pointer;
    }

    /** The exception from the payload's constructor; its text is included only if the application threw it. */
    private static String thrown(Throwable cause) {
        String name = cause.getClass().getSimpleName();
        String text = cause.getMessage();
        return text == null || !isOfTheApplication(cause) ? name : name + ": " + Names.printable(text);
    }

    /**
     * Whether the application threw the exception, as the top of the stack trace shows; or a {@code NullPointerException}, which never
     * quotes a value.
     */
    private static boolean isOfTheApplication(Throwable cause) {
        if (cause instanceof NullPointerException) {
            return true;
        }
        return NOT_OF_THE_APPLICATION.stream().noneMatch(packages -> isThrownBy(packages, cause));
    }

    private static boolean isThrownBy(String packages, @Nullable Throwable cause) {
        if (cause == null) {
            return false;
        }
        StackTraceElement[] trace = cause.getStackTrace();
        String maker = trace.length == 0 ? cause.getClass().getName() : trace[0].getClassName();
        return maker.startsWith(packages);
    }

    private static String place(JacksonException e) {
        String path = path(e);
        var location = e.getLocation();
        return (path.isEmpty() ? "" : " at " + path)
                + (location == null || location.getLineNr() < 0
                        ? ""
                        : ", line " + location.getLineNr() + ", column " + location.getColumnNr());
    }

    /** Properties and positions; map keys are omitted because they are payload. */
    private static String path(JacksonException e) {
        StringBuilder path = new StringBuilder();
        for (JacksonException.Reference step : e.getPath()) {
            String property = step.getPropertyName();
            if (property == null) {
                path.append('[').append(step.getIndex()).append(']');
            } else if (step.from() instanceof Map || step.from() == Map.class) {
                path.append("[*]");
            } else {
                path.append(path.isEmpty() ? "" : ".").append(property);
            }
        }
        return path.length() <= LONGEST_PATH ? path.toString() : path.substring(0, LONGEST_PATH) + "…";
    }
}
