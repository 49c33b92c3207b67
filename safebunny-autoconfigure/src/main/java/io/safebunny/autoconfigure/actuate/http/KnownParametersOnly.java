// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.http;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.Producible;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Refuses a request with a property or query parameter that its operation does not have. Spring silently drops unknown ones: with a
 * misspelt {@code dryRun}, messages would be moved.
 *
 * <p>Spring also merges path, body and query, and later values win: a property with the name of a selector would replace the value from the
 * path, and another message would be moved. So our selectors match all the rest of the path: Spring passes it as an array, which a body or
 * a query cannot contain. Hands {@link Checked} to operations that ask for it. Ignores other endpoints. Thread-safe.
 */
public final class KnownParametersOnly implements OperationInvokerAdvisor {

    /** Types of parameters that are not from the request. */
    private static final Set<Class<?>> GIVEN = Set.of(SecurityContext.class, Checked.class);

    private final Set<EndpointId> endpoints;

    public KnownParametersOnly(Set<EndpointId> endpoints) {
        this.endpoints = Set.copyOf(endpoints);
    }

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!endpoints.contains(endpoint)) {
            return invoker;
        }
        List<String> selectors = parameters.stream()
                .filter(KnownParametersOnly::isSelector)
                .map(OperationParameter::getName)
                .toList();
        Set<String> known = parameters.stream()
                .filter(parameter -> !isSelector(parameter) && !isGiven(parameter.getType()))
                .map(OperationParameter::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        String operation = (type == OperationType.READ ? "GET" : type == OperationType.WRITE ? "POST" : "DELETE")
                + " " + endpoint
                + selectors.stream().map(name -> "/{" + name + "}").collect(Collectors.joining());
        return context -> {
            Set<String> unknown = new TreeSet<>(context.getArguments().keySet());
            unknown.removeAll(known);
            unknown.removeIf(name -> selectors.contains(name)
                    && isFromPath(context.getArguments().get(name)));
            return unknown.isEmpty()
                    ? invoker.invoke(checked(context))
                    : Answers.of(() -> {
                        throw refused(operation, unknown, known);
                    });
        };
    }

    private static InvocationContext checked(InvocationContext context) {
        SecurityContext user = context.resolveArgument(SecurityContext.class);
        return new InvocationContext(
                user == null ? SecurityContext.NONE : user, context.getArguments(), new OperationArgumentResolver() {
                    @Override
                    public boolean canResolve(Class<?> type) {
                        return type == Checked.class || context.canResolve(type);
                    }

                    @Override
                    public <T> @Nullable T resolve(Class<T> type) {
                        return type == Checked.class ? type.cast(Checked.YES) : context.resolveArgument(type);
                    }
                });
    }

    private static boolean isFromPath(@Nullable Object value) {
        return value instanceof String[];
    }

    private static boolean isGiven(Class<?> type) {
        return GIVEN.contains(type) || Producible.class.isAssignableFrom(type); // by the header Accept
    }

    private static boolean isSelector(OperationParameter parameter) {
        return parameter.getAnnotation(Selector.class) != null;
    }

    private static MisuseException refused(String operation, Set<String> unknown, Set<String> known) {
        String similar = known.stream()
                .filter(name -> unknown.stream().anyMatch(other -> isLike(name, other)))
                .collect(Collectors.joining(" or "));
        return new MisuseException(
                MisuseException.ARGUMENT,
                "Unknown parameter of %s [name=%s]: it takes %s.%s Nothing was changed."
                        .formatted(
                                operation,
                                Names.printable(String.join(", ", unknown)),
                                known.isEmpty() ? "none" : String.join(", ", known),
                                similar.isEmpty() ? "" : " Perhaps you mean " + similar + "."));
    }

    private static boolean isLike(String known, String unknown) {
        return !unknown.isEmpty() && known.toLowerCase(Locale.ROOT).contains(unknown.toLowerCase(Locale.ROOT));
    }
}
