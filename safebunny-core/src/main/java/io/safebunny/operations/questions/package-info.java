// SPDX-License-Identifier: Apache-2.0
/**
 * Questions to all instances on the broker, and their replies. Everything that comes from another instance may be forged: it changes nothing
 * here, costs a bounded amount of work, and is shown under the name of its sender.
 */
@NullMarked
package io.safebunny.operations.questions;

import org.jspecify.annotations.NullMarked;
