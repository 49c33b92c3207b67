// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.safebunny.jdbc.outbox;

import org.jspecify.annotations.NullMarked;
