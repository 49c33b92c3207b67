// SPDX-License-Identifier: Apache-2.0
/**
 * Real database servers for tests, without Docker and without root's rights: they are unpacked from Maven artifacts, listen
 * on 127.0.0.1 only, and end with the virtual machine.
 */
@NullMarked
package io.safebunny.test.database;

import org.jspecify.annotations.NullMarked;
