// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.orm.jpa.DefaultJpaDialect;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Inspects JPA transaction managers. Loaded only if JPA is on the class path. */
final class Jpa {

    /** Hibernate settings that give each tenant its own connections, schema or user. */
    private static final List<String> BY_TENANT = List.of(
            "hibernate.multi_tenant_connection_provider",
            "hibernate.multi_tenant.schema_mapper",
            "hibernate.multi_tenant.credentials_mapper");

    private Jpa() {}

    static boolean isOf(PlatformTransactionManager manager) {
        return manager instanceof JpaTransactionManager;
    }

    /**
     * Why the manager's transactions do not use connections of the {@code DataSource}; {@code null} if they do. Begins no transaction to
     * find out.
     */
    static @Nullable String obstacle(PlatformTransactionManager manager, DataSource dataSource) {
        JpaTransactionManager jpa = (JpaTransactionManager) manager;
        DataSource managed = jpa.getDataSource();
        if (managed == null || jpa.getJpaDialect().getClass() == DefaultJpaDialect.class) {
            return "exposes no JDBC connection; its EntityManagerFactory needs a DataSource and a JpaVendorAdapter";
        }
        if (!managed.equals(dataSource)) {
            return "manages another DataSource";
        }
        String byTenant = byTenant(jpa);
        return byTenant == null
                ? null
                : "gets its connections by tenant [%s], so records would be in the tenants' databases"
                        .formatted(byTenant);
    }

    /** The setting that gives each tenant its own connections to this {@code DataSource}; {@code null} if there is none. */
    static @Nullable String byTenant(PlatformTransactionManager manager, DataSource dataSource) {
        JpaTransactionManager jpa = (JpaTransactionManager) manager;
        return dataSource.equals(jpa.getDataSource()) ? byTenant(jpa) : null;
    }

    private static @Nullable String byTenant(JpaTransactionManager jpa) {
        EntityManagerFactory factory = jpa.getEntityManagerFactory();
        Map<String, Object> settings = factory == null ? Map.of() : factory.getProperties();
        return BY_TENANT.stream()
                .filter(setting -> settings.get(setting) != null)
                .findFirst()
                .orElse(null);
    }
}
