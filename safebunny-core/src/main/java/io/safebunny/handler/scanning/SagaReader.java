// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.BunnyHandler;
import io.safebunny.OnExpired;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.EncryptedTypes;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.handler.SagaMethod;
import io.safebunny.handler.scanning.SagaMethodReader.Role;
import io.safebunny.handler.scanning.SagaMethodReader.Signature;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.CorrelatedBy;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.OnShredded;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.Starts;
import io.safebunny.saga.Upgrade;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Turns an annotated class into a definition. For use at start-up; not thread-safe. */
final class SagaReader {

    static final String CODE = "SB-1107";

    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_$-]{0,79}");
    private static final int LONGEST_TIMEOUT = 100;
    private static final Set<Class<? extends Annotation>> ROLES = Set.of(
            BunnyHandler.class, OnTimeout.class, OnPoisoned.class, OnExpired.class, OnShredded.class, Upgrade.class);
    private static final Set<Class<? extends Annotation>> OF_HANDLERS = Set.of(Starts.class, CorrelatedBy.class);

    private final HandlerAttributes attributes;
    private final OrderAttributes order;
    private final SagaMethodReader methods;

    SagaReader(HandlerAttributes attributes, HandlerArguments arguments) {
        this.attributes = attributes;
        this.order = new OrderAttributes(attributes);
        this.methods = new SagaMethodReader(arguments);
    }

    static ConfigurationException refused(String problem, String action) {
        return new ConfigurationException(CODE, problem, action);
    }

    SagaDefinition read(ScannedBean bean, BunnySaga saga) {
        String owner = bean.type().getName();
        if (!bean.isSingleton()) {
            throw refused(
                    "A saga must be a singleton [saga=%s, bean=%s]: it keeps nothing in fields, its state is given to its methods."
                            .formatted(owner, bean.name()),
                    "Remove the scope from the class or its @Bean method.");
        }
        String name = name(owner, bean.type(), saga);
        int version = version(owner, saga);
        Map<Method, Class<? extends Annotation>> roles = roles(owner, bean);
        List<BeanMethod> handlers = withRole(BunnyHandler.class, roles, owner, bean);
        Type state = SagaState.type(owner, handlers);
        BunnyHandler ofClass = bean.annotation(BunnyHandler.class);
        List<SagaHandler> read = handlers.stream()
                .map(handler -> handler(handler, state, ofClass))
                .toList();
        return new SagaDefinition(
                name,
                owner,
                version,
                state,
                read,
                timeouts(withRole(OnTimeout.class, roles, owner, bean), state),
                atMostOne("OnPoisoned", withRole(OnPoisoned.class, roles, owner, bean), Role.POISONED, state),
                atMostOne("OnExpired", withRole(OnExpired.class, roles, owner, bean), Role.EXPIRED, state),
                atMostOne("OnShredded", withRole(OnShredded.class, roles, owner, bean), Role.SHREDDED, state),
                SagaUpgrades.read(owner, version, withRole(Upgrade.class, roles, owner, bean)),
                participants(owner, saga, read),
                encryptedAs(bean.type(), state));
    }

    private static @Nullable Class<?> encryptedAs(Class<?> saga, Type state) {
        Class<?> raw = ResolvableType.forType(state).toClass();
        Encrypted ofState = EncryptedTypes.of(raw);
        if (ofState != null && !ofState.subject().isEmpty()) { // a property of the state, so it must not be passed over
            return raw;
        }
        if (EncryptedTypes.of(saga) != null) {
            return saga;
        }
        return ofState == null ? null : raw;
    }

    private static String name(String owner, Class<?> type, BunnySaga saga) {
        String name = saga.name().isEmpty() ? type.getSimpleName() : saga.name();
        if (!NAME.matcher(name).matches()) {
            throw refused(
                    "Invalid name of a saga [saga=%s, name=%s]: it must match %s.".formatted(owner, name, NAME),
                    "Name it: @BunnySaga(name = \"OrderSaga\").");
        }
        return name;
    }

    private static int version(String owner, BunnySaga saga) {
        if (saga.version() < 1) {
            throw refused(
                    "Invalid version of a saga [saga=%s, version=%s]: versions start at 1."
                            .formatted(owner, saga.version()),
                    "Correct @BunnySaga(version = …).");
        }
        return saga.version();
    }

    private static Map<Method, Class<? extends Annotation>> roles(String owner, ScannedBean bean) {
        Set<Class<? extends Annotation>> all = new LinkedHashSet<>(ROLES);
        all.addAll(OF_HANDLERS);
        Map<Method, Class<? extends Annotation>> roles = new LinkedHashMap<>();
        bean.methods(all, method -> present(method, all)).forEach((method, annotations) -> {
            List<Class<? extends Annotation>> found =
                    annotations.stream().filter(ROLES::contains).toList();
            if (found.size() > 1) {
                throw refused(
                        "A method of a saga has one role [method=%s, found=%s]."
                                .formatted(bean.method(owner, method).where(), names(found)),
                        "Write one method for each.");
            }
            if (found.isEmpty() || (!found.contains(BunnyHandler.class) && annotations.size() > 1)) {
                throw refused(
                        "%s is only for handlers [method=%s]."
                                .formatted(
                                        names(annotations.stream()
                                                .filter(OF_HANDLERS::contains)
                                                .toList()),
                                        bean.method(owner, method).where()),
                        "Add @BunnyHandler(from = \"…\") to the method, or remove the annotation.");
            }
            roles.put(method, found.get(0));
        });
        return roles;
    }

    private static @Nullable List<Class<? extends Annotation>> present(
            Method method, Set<Class<? extends Annotation>> annotations) {
        List<Class<? extends Annotation>> present = annotations.stream()
                .filter(annotation -> AnnotatedElementUtils.hasAnnotation(method, annotation))
                .toList();
        return present.isEmpty() ? null : present;
    }

    private static String names(List<Class<? extends Annotation>> annotations) {
        return String.join(
                ", ",
                annotations.stream()
                        .map(annotation -> "@" + annotation.getSimpleName())
                        .sorted()
                        .toList());
    }

    private static List<BeanMethod> withRole(
            Class<? extends Annotation> role,
            Map<Method, Class<? extends Annotation>> roles,
            String owner,
            ScannedBean bean) {
        return roles.entrySet().stream()
                .filter(entry -> entry.getValue() == role)
                .map(entry -> bean.method(owner, entry.getKey()))
                .toList();
    }

    private SagaHandler handler(BeanMethod handler, Type state, @Nullable BunnyHandler ofClass) {
        String where = handler.where();
        boolean starts = handler.has(Starts.class);
        Signature signature = methods.read(handler, Role.HANDLER, state);
        Type payload = Objects.requireNonNull(signature.payload());
        BunnyHandler ofMethod = handler.annotation(BunnyHandler.class);
        attributes.refuseGroups(where, ofMethod, ofClass);
        String type = HandlerArguments.typeName(where, payload, SagaMethodReader.FIX);
        order.refuseOrder(where, ofMethod, ofClass, "a saga");
        return new SagaHandler(
                where,
                type,
                payload,
                attributes.from(where, ofMethod, ofClass),
                attributes.prefetch(where, ofMethod, ofClass),
                attributes.recovery(where, ofMethod, ofClass),
                starts,
                signature.takesState(),
                correlation(handler, payload),
                signature.method(),
                attributes.rate(where, type, ofMethod, ofClass));
    }

    private static @Nullable Function<Object, @Nullable String> correlation(BeanMethod handler, Type payload) {
        return handler.has(CorrelatedBy.class)
                ? SagaCorrelation.parse(
                        handler.where(), handler.annotation(CorrelatedBy.class).value(), payload)
                : null;
    }

    private Map<String, SagaMethod> timeouts(List<BeanMethod> annotated, Type state) {
        Map<String, BeanMethod> byName = new LinkedHashMap<>();
        Map<String, SagaMethod> timeouts = new LinkedHashMap<>();
        for (BeanMethod timeout : annotated) {
            String name = timeout.annotation(OnTimeout.class).value();
            if (name.isBlank() || name.length() > LONGEST_TIMEOUT) {
                throw refused(
                        "Invalid name of a timeout [method=%s, length=%s]: it must have 1 to %s characters and not be blank."
                                .formatted(timeout.where(), name.length(), LONGEST_TIMEOUT),
                        "Name it as SagaContext.timeout does: @OnTimeout(\"payment\").");
            }
            BeanMethod other = byName.putIfAbsent(name, timeout);
            if (other != null) {
                throw refused(
                        "Two methods for one timeout [timeout=%s]: %s and %s."
                                .formatted(name, other.where(), timeout.where()),
                        "Remove one of them, or name them differently.");
            }
            timeouts.put(name, methods.read(timeout, Role.TIMEOUT, state).method());
        }
        return timeouts;
    }

    private @Nullable SagaMethod atMostOne(String name, List<BeanMethod> annotated, Role role, Type state) {
        if (annotated.isEmpty()) {
            return null;
        }
        if (annotated.size() > 1) {
            throw refused(
                    "A saga has at most one method with @%s: found %s and %s."
                            .formatted(
                                    name,
                                    annotated.get(0).where(),
                                    annotated.get(1).where()),
                    "Merge them, and choose by BlockedOn.type().");
        }
        return methods.read(annotated.get(0), role, state).method();
    }

    private Set<String> participants(String owner, BunnySaga saga, List<SagaHandler> handlers) {
        List<String> participants = new ArrayList<>(attributes.participants(owner, saga.participants()));
        handlers.forEach(handler -> participants.addAll(handler.from()));
        return Set.copyOf(participants);
    }
}
