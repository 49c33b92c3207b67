// SPDX-License-Identifier: Apache-2.0
/**
 * Spring Boot's side of SafeBunny: binds {@code safebunny.*}, assembles the engine from beans, starts and stops it with the application
 * context. Each feature has one auto-configuration and one properties record. Only the stores' own auto-configurations see types of Spring
 * Boot, too.
 */
@NullMarked
package io.safebunny.autoconfigure;

import org.jspecify.annotations.NullMarked;
