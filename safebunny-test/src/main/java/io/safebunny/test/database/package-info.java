// SPDX-License-Identifier: Apache-2.0
/**
 * Real database servers for tests, without Docker: found, or unpacked from public packages. They listen on 127.0.0.1 only and end with the
 * JVM. A test that needs one gets it or fails.
 */
@NullMarked
package io.safebunny.test.database;

import org.jspecify.annotations.NullMarked;
