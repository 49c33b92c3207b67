// SPDX-License-Identifier: Apache-2.0
/**
 * Spring Boot's side of SafeBunny: binds {@code safebunny.*}, assembles the engine from beans, starts and stops it with
 * the application context. Per feature one auto-configuration and one properties record; Boot types end here.
 */
@NullMarked
package io.safebunny.autoconfigure;

import org.jspecify.annotations.NullMarked;
