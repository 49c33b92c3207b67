// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.PayloadValidator;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.CorrelatedBy;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.Starts;
import io.safebunny.saga.Upgrade;
import java.lang.annotation.Annotation;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Finds the {@code @BunnySaga} beans, and refuses those that cannot work. Runs once, at start-up. */
public final class SagaScanner {

    /** Annotations allowed only in sagas. */
    private static final Set<Class<? extends Annotation>> OF_SAGAS =
            Set.of(Starts.class, CorrelatedBy.class, OnTimeout.class, OnPoisoned.class, Upgrade.class);

    private final ConfigurableListableBeanFactory beans;
    private final SagaReader reader;

    /** @param validator if {@code null}, a handler with a {@code @Valid} payload is refused */
    public SagaScanner(
            ConfigurableListableBeanFactory beans, HandlerDefaults defaults, @Nullable PayloadValidator validator) {
        this.beans = beans;
        this.reader = new SagaReader(
                new HandlerAttributes(beans::resolveEmbeddedValue, defaults), new HandlerArguments(validator));
    }

    /** @throws ConfigurationException SB-1107 or another SB-11xx, naming class and method */
    public List<SagaDefinition> sagas() {
        Map<String, SagaDefinition> byName = new LinkedHashMap<>();
        ScannedBean.forEach(beans, bean -> {
            BunnySaga annotation = bean.annotation(BunnySaga.class);
            if (annotation == null) {
                refuseMethodsOfSagas(bean);
                return;
            }
            SagaDefinition saga = reader.read(bean, annotation);
            SagaDefinition other = byName.putIfAbsent(saga.name(), saga);
            if (other != null) {
                throw SagaReader.refused(
                        "Two sagas of one name [name=%s]: %s and %s. Their instances are stored under it."
                                .formatted(saga.name(), other.description(), saga.description()),
                        "Give one of them another name, @BunnySaga(name = \"…\"), or remove one of the beans.");
            }
        });
        requireOnePerType(byName.values());
        return List.copyOf(byName.values());
    }

    private static void requireOnePerType(Collection<SagaDefinition> sagas) {
        Map<String, SagaDefinition> byType = new HashMap<>();
        for (SagaDefinition saga : sagas) {
            for (SagaHandler handler : saga.handlers()) {
                SagaDefinition other = byType.putIfAbsent(handler.type(), saga);
                if (other != null && !other.name().equals(saga.name())) {
                    throw new ConfigurationException(
                            "SB-1102",
                            "Two sagas for one message type [type=%s]: %s by %s, and %s by %s. A node has one queue per type, so there must be only one handler."
                                    .formatted(
                                            handler.type(),
                                            other.description(),
                                            descriptionOf(other, handler.type()),
                                            saga.description(),
                                            handler.description()),
                            "Keep the method in one of them, and have it publish a message of another type for the other saga; or put the other saga into a node of its own.");
                }
            }
        }
    }

    private static String descriptionOf(SagaDefinition saga, String type) {
        return saga.handlers().stream()
                .filter(handler -> handler.type().equals(type))
                .map(SagaHandler::description)
                .findFirst()
                .orElse("");
    }

    private static void refuseMethodsOfSagas(ScannedBean bean) {
        bean.methods(OF_SAGAS, method -> OF_SAGAS.stream()
                        .filter(annotation -> AnnotatedElementUtils.hasAnnotation(method, annotation))
                        .findFirst()
                        .orElse(null))
                .forEach((method, annotation) -> {
                    throw SagaReader.refused(
                            "@%s is only for methods of sagas [method=%s]: the class is no @BunnySaga."
                                    .formatted(
                                            annotation.getSimpleName(),
                                            bean.method(bean.type().getName(), method)
                                                    .where()),
                            "Annotate the class with @BunnySaga, or remove @%s.".formatted(annotation.getSimpleName()));
                });
    }
}
