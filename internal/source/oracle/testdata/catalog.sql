-- What the dialect asks beside the engine's questions.

SELECT o.owner, o.table_name, NVL(o.num_rows, 0), SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA'), SYS_CONTEXT('USERENV', 'DB_NAME')
		FROM all_tables o WHERE o.owner IN (SELECT u.username FROM all_users u WHERE u.oracle_maintained = 'N') AND o.nested = 'NO' AND o.secondary = 'N' AND NVL(o.iot_type, 'IOT') = 'IOT' AND o.temporary = 'N' AND o.dropped = 'NO' ORDER BY o.owner, o.table_name;

SELECT o.owner, o.view_name FROM all_views o WHERE o.owner IN (SELECT u.username FROM all_users u WHERE u.oracle_maintained = 'N') ORDER BY o.owner, o.view_name;

SELECT o.owner, o.table_name, o.column_name, o.data_type, o.nullable, NVL(o.char_length, 0), o.data_scale, o.data_length, o.data_default
		FROM all_tab_columns o WHERE o.owner IN (SELECT u.username FROM all_users u WHERE u.oracle_maintained = 'N') ORDER BY o.owner, o.table_name, o.column_id;

SELECT o.owner, o.table_name, o.column_name FROM all_json_columns o WHERE o.owner IN (SELECT u.username FROM all_users u WHERE u.oracle_maintained = 'N') ORDER BY o.owner, o.table_name, o.column_name;

SELECT o.owner, o.table_name, LISTAGG(k.column_name, ',') WITHIN GROUP (ORDER BY k.column_position), o.uniqueness, NVL(MAX(p.constraint_type), 'N')
		FROM (SELECT i.table_owner AS owner, i.table_name, i.owner AS index_owner, i.index_name, i.uniqueness FROM all_indexes i WHERE i.index_type IN ('NORMAL', 'IOT - TOP') AND i.status IN ('VALID', 'N/A')) o
		JOIN all_ind_columns k ON k.index_owner = o.index_owner AND k.index_name = o.index_name
		LEFT JOIN all_constraints p ON p.owner = o.owner AND p.table_name = o.table_name AND p.index_name = o.index_name AND p.constraint_type = 'P'
		WHERE o.owner IN (SELECT u.username FROM all_users u WHERE u.oracle_maintained = 'N') GROUP BY o.owner, o.table_name, o.index_owner, o.index_name, o.uniqueness ORDER BY o.owner, o.table_name, MAX(p.constraint_type) NULLS LAST, o.index_name;

SELECT o.owner, o.table_name, o.constraint_name, a.column_name, u.owner, u.table_name, b.column_name, o.delete_rule
		FROM all_constraints o JOIN all_constraints u ON u.owner = o.r_owner AND u.constraint_name = o.r_constraint_name
		JOIN all_cons_columns a ON a.owner = o.owner AND a.constraint_name = o.constraint_name
		JOIN all_cons_columns b ON b.owner = u.owner AND b.constraint_name = u.constraint_name AND b.position = a.position
		WHERE o.constraint_type = 'R' AND o.owner IN (SELECT u.username FROM all_users u WHERE u.oracle_maintained = 'N') ORDER BY o.owner, o.table_name, o.constraint_name, a.position;

SELECT o.table_owner, o.table_name, o.trigger_body FROM all_triggers o
		WHERE o.status = 'ENABLED' AND o.trigger_type = 'BEFORE EACH ROW' AND o.triggering_event LIKE '%UPDATE%';

SELECT (SELECT MAX(v.product || v.version) FROM product_component_version v WHERE v.product LIKE 'Oracle%'), TO_CHAR(SYS_EXTRACT_UTC(SYSTIMESTAMP), 'YYYY-MM-DD HH24:MI:SS.FF9'),
		SYS_CONTEXT('USERENV', 'SESSION_USER'), SYS_CONTEXT('USERENV', 'NETWORK_PROTOCOL'), (SELECT COUNT(*) FROM session_roles r WHERE r.role = 'DBA') FROM DUAL;

SELECT COUNT(*) FROM gv$session s, gv$transaction t, dba_2pc_pending p WHERE 1 = 0;

SELECT t.table_name, NVL(t.num_rows, 0),
		CASE WHEN t.owner = SYS_CONTEXT('USERENV', 'SESSION_USER') OR EXISTS (SELECT 1 FROM session_privs p WHERE p.privilege IN ('INSERT ANY TABLE', 'UPDATE ANY TABLE', 'DELETE ANY TABLE'))
		OR EXISTS (SELECT 1 FROM all_tab_privs p WHERE p.table_schema = t.owner AND p.table_name = t.table_name AND p.privilege IN ('INSERT', 'UPDATE', 'DELETE')
			AND p.grantee IN (SYS_CONTEXT('USERENV', 'SESSION_USER'), 'PUBLIC')) THEN 1 ELSE 0 END
		FROM all_tables t WHERE t.owner IN (SELECT u.username FROM all_users u WHERE u.oracle_maintained = 'N');

SELECT SYS_CONTEXT('USERENV', 'DB_UNIQUE_NAME') || ' ' || SYS_CONTEXT('USERENV', 'CON_NAME'), (SELECT TO_CHAR(MIN(s.logon_time)) FROM gv$session s WHERE s.type = 'BACKGROUND') FROM DUAL;

SELECT TO_CHAR(SYS_EXTRACT_UTC(SYSTIMESTAMP), 'YYYY-MM-DD HH24:MI:SS.FF9') FROM DUAL;

SELECT s.inst_id * 1000000 + s.sid, s.username, CASE s.status WHEN 'ACTIVE' THEN 0 ELSE 1 END, s.serial#, s.last_call_et
	FROM gv$session s WHERE s.type = 'USER' AND NOT (s.sid = SYS_CONTEXT('USERENV', 'SID') AND s.inst_id = SYS_CONTEXT('USERENV', 'INSTANCE'));

SELECT NVL(s.inst_id * 1000000 + s.sid, -1 - t.xidusn * 65536 - t.xidslot), t.xidusn || '.' || t.xidslot || '.' || t.xidsqn, s.username
	FROM gv$transaction t LEFT JOIN gv$session s ON s.inst_id = t.inst_id AND s.taddr = t.addr;

SELECT SYS_CONTEXT('USERENV', 'DATABASE_ROLE') FROM DUAL;

SELECT p.local_tran_id, p.global_tran_id FROM dba_2pc_pending p WHERE p.state IN ('collecting', 'prepared');
