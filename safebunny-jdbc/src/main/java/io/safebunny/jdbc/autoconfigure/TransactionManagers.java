// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.util.ClassUtils;

/** The application's transaction managers, seen from the message store's {@code DataSource}. For use at start-up. */
final class TransactionManagers {

    private static final boolean HAS_JPA = ClassUtils.isPresent(
            "org.springframework.orm.jpa.JpaTransactionManager", TransactionManagers.class.getClassLoader());

    private final ListableBeanFactory beans;
    private final DataSource dataSource;

    /** @param dataSource the bean, as the application injects it */
    TransactionManagers(ListableBeanFactory beans, DataSource dataSource) {
        this.beans = beans;
        this.dataSource = JdbcSchema.unwrap(dataSource);
    }

    /**
     * The manager whose transactions handlers can share with the store.
     *
     * @param manager {@code null} if there is none
     * @param why there is none, as the end of a sentence
     */
    record Choice(@Nullable PlatformTransactionManager manager, String why) {}

    /**
     * Chooses the manager that binds connections of the {@code DataSource}; of several, the one that {@code @Transactional} without a
     * qualifier uses.
     *
     * @throws ConfigurationException SB-1415 if no manager is known to bind such connections, and one could not be checked
     */
    Choice choose() {
        Map<String, PlatformTransactionManager> fitting = new LinkedHashMap<>();
        List<String> others = new ArrayList<>();
        List<RuntimeException> unanswered = new ArrayList<>();
        BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, PlatformTransactionManager.class)
                .forEach((name, manager) -> {
                    try {
                        String obstacle = obstacle(manager);
                        if (obstacle == null) {
                            fitting.put(name, manager);
                        } else {
                            others.add("%s (%s) %s"
                                    .formatted(name, manager.getClass().getName(), obstacle));
                        }
                    } catch (RuntimeException e) {
                        others.add("%s (%s) could not begin a transaction (%s)"
                                .formatted(name, manager.getClass().getName(), e));
                        unanswered.add(e);
                    }
                });
        if (fitting.isEmpty() && !unanswered.isEmpty()) {
            throw refused(String.join("; ", others), unanswered.get(0));
        }
        if (fitting.isEmpty()) {
            return new Choice(
                    null,
                    others.isEmpty()
                            ? "there is no bean of type " + PlatformTransactionManager.class.getName()
                            : String.join("; ", others));
        }
        if (fitting.size() == 1) {
            return new Choice(fitting.values().iterator().next(), "");
        }
        PlatformTransactionManager unqualified = unqualified(beans);
        return unqualified != null && fitting.containsValue(unqualified)
                ? new Choice(unqualified, "")
                : new Choice(null, "%s all do, and none of them is primary".formatted(fitting.keySet()));
    }

    /**
     * Call for the outbox, which stores messages in the transactions of any manager.
     *
     * @throws ConfigurationException SB-1416 when the transactions of one manager use a connection, schema or user that depends on the
     *     tenant
     */
    void requireOneDatabase() {
        if (!HAS_JPA) {
            return;
        }
        BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, PlatformTransactionManager.class)
                .forEach((name, manager) -> {
                    String byTenant = Jpa.isOf(manager) ? Jpa.byTenant(manager, dataSource) : null;
                    if (byTenant != null) {
                        throw new ConfigurationException(
                                "SB-1416",
                                "Hibernate chooses connections, schema or user by tenant [transactionManager=%s, %s]: a message would be stored in a tenant's outbox but relayed only from the default one, so it would never be sent."
                                        .formatted(name, byTenant),
                                "Set safebunny.outbox.enabled=false, or use @TenantId with one database for all tenants, which the outbox supports.");
                    }
                });
    }

    static ConfigurationException refused(String why, @Nullable Throwable cause) {
        return new ConfigurationException(
                "SB-1415",
                "Messages cannot be handled in one transaction with their records [safebunny.store.jdbc.transactional=true]: this needs a transaction manager that binds connections of the message store's DataSource to the thread, but %s."
                        .formatted(why),
                "Define a JdbcTransactionManager or JpaTransactionManager for the DataSource bean that handlers use, and mark it @Primary if several manage it. Or set safebunny.store.jdbc.transactional=false: a failed handler's writes are then rolled back only by the handler's own transaction.",
                cause);
    }

    /** The manager that {@code @Transactional} without a qualifier uses; {@code null} if none is defined. */
    static @Nullable PlatformTransactionManager unqualified(ListableBeanFactory beans) {
        TransactionManagementConfigurer configurer =
                beans.getBeanProvider(TransactionManagementConfigurer.class).getIfUnique();
        if (configurer != null) {
            return configurer.annotationDrivenTransactionManager() instanceof PlatformTransactionManager manager
                    ? manager
                    : null;
        }
        return beans.getBeanProvider(PlatformTransactionManager.class).getIfUnique();
    }

    /**
     * Why the manager's transactions do not use the {@code DataSource}; {@code null} if they do. Begins a test transaction only as a last
     * resort, because that may involve another system.
     */
    private @Nullable String obstacle(PlatformTransactionManager manager) {
        if (manager instanceof JtaTransactionManager) {
            return "is a JTA manager, which binds no connection to the thread";
        }
        if (manager instanceof AbstractPlatformTransactionManager configured
                && configured.getTransactionSynchronization()
                        == AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER) {
            return "does not notify synchronizations (transactionSynchronization=NEVER)";
        }
        if (HAS_JPA && Jpa.isOf(manager)) {
            return Jpa.obstacle(manager, dataSource);
        }
        if (manager instanceof ResourceTransactionManager resources) {
            Object resource = resources.getResourceFactory();
            if (resource instanceof DataSource) {
                return TransactionSynchronizationUtils.sameResourceFactory(resources, dataSource)
                        ? null
                        : "manages another DataSource";
            }
            if (!isOfJpa(resource)) {
                return "does not manage a DataSource";
            }
        }
        return TransactionalJdbcMessageStore.fits(dataSource, manager) ? null : "does not reach the DataSource";
    }

    /** Compares by name, because JPA is optional. */
    private static boolean isOfJpa(Object resource) {
        return ClassUtils.getAllInterfacesAsSet(resource).stream()
                .anyMatch(type -> type.getName().equals("jakarta.persistence.EntityManagerFactory"));
    }
}
