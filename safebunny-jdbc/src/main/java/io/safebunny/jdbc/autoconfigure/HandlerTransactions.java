// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.BunnyHandler;
import io.safebunny.OnExpired;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.OnTimeout;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.interceptor.NoRollbackRuleAttribute;
import org.springframework.transaction.interceptor.RuleBasedTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Rejects attributes of a handler's {@code @Transactional} that would have no effect, because the transaction of its message begins before
 * the handler is called. For use at start-up.
 */
final class HandlerTransactions {

    private static final Set<Class<? extends Annotation>> HANDLERS =
            Set.of(BunnyHandler.class, OnExpired.class, OnTimeout.class, OnPoisoned.class);

    private static final Set<Integer> JOINING = Set.of(
            TransactionDefinition.PROPAGATION_REQUIRED,
            TransactionDefinition.PROPAGATION_SUPPORTS,
            TransactionDefinition.PROPAGATION_MANDATORY,
            TransactionDefinition.PROPAGATION_NESTED);

    private final AnnotationTransactionAttributeSource attributes = new AnnotationTransactionAttributeSource(false);
    private final ConfigurableListableBeanFactory beans;
    private final PlatformTransactionManager used;
    private final @Nullable PlatformTransactionManager unqualified;

    /**
     * @param used begins the transactions in which messages are handled
     * @param unqualified begins the transactions of {@code @Transactional} annotations without a qualifier
     */
    HandlerTransactions(
            ConfigurableListableBeanFactory beans,
            PlatformTransactionManager used,
            @Nullable PlatformTransactionManager unqualified) {
        this.beans = beans;
        this.used = used;
        this.unqualified = unqualified;
        attributes.setEmbeddedValueResolver(beans::resolveEmbeddedValue);
    }

    /** @throws ConfigurationException SB-1116 naming class and method */
    void require() {
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
            if (type != null) {
                handlers(type).forEach(method -> require(type, method));
            }
        }
    }

    private static Set<Method> handlers(Class<?> type) {
        ReflectionUtils.MethodFilter handlers = method ->
                HANDLERS.stream().anyMatch(annotation -> AnnotatedElementUtils.hasAnnotation(method, annotation));
        return MethodIntrospector.selectMethods(type, handlers);
    }

    private void require(Class<?> type, Method method) {
        TransactionAttribute attribute = attributes.getTransactionAttribute(method, type);
        if (attribute == null || managerOf(attribute) != used) {
            return;
        }
        List<String> ignored = ignored(attribute);
        if (!ignored.isEmpty()) {
            throw new ConfigurationException(
                    "SB-1116",
                    "Attributes of a handler's @Transactional have no effect [handler=%s.%s, %s]: its message is handled in a transaction that begins before the handler is called, together with the message's record."
                            .formatted(type.getName(), method.getName(), String.join(", ", ignored)),
                    "Remove these attributes. Lock what must not change (select … for update, @Lock, @Version); limit all transactions with spring.transaction.default-timeout; catch exceptions that should not roll back. Or set safebunny.store.jdbc.transactional=false: then the handler's own transaction is the only one.");
        }
    }

    /** {@code null} if it cannot be resolved; calling the handler then fails anyway. */
    private @Nullable TransactionManager managerOf(TransactionAttribute attribute) {
        String qualifier = attribute.getQualifier();
        if (!StringUtils.hasText(qualifier)) {
            return unqualified;
        }
        try {
            return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, TransactionManager.class, qualifier);
        } catch (BeansException e) {
            return null;
        }
    }

    private static List<String> ignored(TransactionAttribute attribute) {
        List<String> ignored = new ArrayList<>();
        if (attribute.getIsolationLevel() != TransactionDefinition.ISOLATION_DEFAULT) {
            ignored.add("isolation=" + isolation(attribute.getIsolationLevel()));
        }
        if (!JOINING.contains(attribute.getPropagationBehavior())) {
            ignored.add("propagation=" + propagation(attribute.getPropagationBehavior()));
        }
        if (attribute.isReadOnly()) {
            ignored.add("readOnly=true");
        }
        if (attribute instanceof RuleBasedTransactionAttribute rules) {
            rules.getRollbackRules().stream()
                    .filter(NoRollbackRuleAttribute.class::isInstance)
                    .forEach(rule -> ignored.add("noRollbackFor=" + rule.getExceptionName()));
        }
        if (attribute.getTimeout() != TransactionDefinition.TIMEOUT_DEFAULT) {
            ignored.add("timeout=" + attribute.getTimeout());
        }
        return ignored;
    }

    private static String isolation(int level) {
        for (Isolation isolation : Isolation.values()) {
            if (isolation.value() == level) {
                return isolation.name();
            }
        }
        return String.valueOf(level);
    }

    private static String propagation(int behaviour) {
        for (Propagation propagation : Propagation.values()) {
            if (propagation.value() == behaviour) {
                return propagation.name();
            }
        }
        return String.valueOf(behaviour);
    }
}
