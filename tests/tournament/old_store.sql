-- A store of the first version, written by it: five players, a top of two, games_per_match = 2.
CREATE TABLE maxin_head (
  id INTEGER NOT NULL,
  seq BIGINT NOT NULL,
  schema INTEGER NOT NULL,
  PRIMARY KEY (id)
);
INSERT INTO maxin_head VALUES(1,41,1);
CREATE TABLE maxin_settings (
  "key" TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY ("key")
);
INSERT INTO maxin_settings VALUES('scheduler','"top-two:k=2"');
INSERT INTO maxin_settings VALUES('seed','7');
INSERT INTO maxin_settings VALUES('games_per_match','2');
INSERT INTO maxin_settings VALUES('first_advantage','false');
INSERT INTO maxin_settings VALUES('lag','0');
INSERT INTO maxin_settings VALUES('min_matches','0');
INSERT INTO maxin_settings VALUES('match','"by hand"');
INSERT INTO maxin_settings VALUES('players','["anna", "bo", "cy", "dee", "eve"]');
CREATE TABLE maxin_players (
  seq INTEGER NOT NULL,
  player INTEGER NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  options TEXT,
  time FLOAT NOT NULL,
  PRIMARY KEY (seq)
);
INSERT INTO maxin_players VALUES(1,0,'anna','active','{"depth": 3}',1700000001.0);
INSERT INTO maxin_players VALUES(2,1,'bo','active','{}',1700000002.0);
INSERT INTO maxin_players VALUES(3,2,'cy','active','{}',1700000003.0);
INSERT INTO maxin_players VALUES(4,3,'dee','active','{}',1700000004.0);
INSERT INTO maxin_players VALUES(5,4,'eve','active','{}',1700000005.0);
INSERT INTO maxin_players VALUES(24,4,'eve','paused',NULL,1700000024.0);
INSERT INTO maxin_players VALUES(27,4,'eve','active',NULL,1700000027.0);
INSERT INTO maxin_players VALUES(41,4,'eve','retired',NULL,1700000041.0);
CREATE TABLE maxin_asked (
  seq INTEGER NOT NULL,
  "match" BIGINT NOT NULL,
  first INTEGER NOT NULL,
  second INTEGER NOT NULL,
  seed BIGINT NOT NULL,
  worker TEXT NOT NULL,
  time FLOAT NOT NULL,
  PRIMARY KEY (seq)
);
INSERT INTO maxin_asked VALUES(6,1,2,3,184785996,'old|1|a',1700000006.0);
INSERT INTO maxin_asked VALUES(8,2,0,2,504589498,'old|1|a',1700000008.0);
INSERT INTO maxin_asked VALUES(10,3,1,4,1733098030,'old|1|a',1700000010.0);
INSERT INTO maxin_asked VALUES(12,4,4,3,1667856941,'old|1|a',1700000012.0);
INSERT INTO maxin_asked VALUES(14,5,1,0,501302448,'old|1|a',1700000014.0);
INSERT INTO maxin_asked VALUES(16,6,3,2,462207137,'old|1|a',1700000016.0);
INSERT INTO maxin_asked VALUES(18,7,2,0,875264978,'old|1|a',1700000018.0);
INSERT INTO maxin_asked VALUES(20,8,3,1,1377064737,'old|1|a',1700000020.0);
INSERT INTO maxin_asked VALUES(22,9,1,2,310884276,'old|1|a',1700000022.0);
INSERT INTO maxin_asked VALUES(25,10,2,1,1805915528,'old|1|a',1700000025.0);
INSERT INTO maxin_asked VALUES(30,11,0,4,623739095,'old|1|a',1700000030.0);
INSERT INTO maxin_asked VALUES(32,12,4,1,1035193780,'old|1|a',1700000032.0);
INSERT INTO maxin_asked VALUES(34,13,1,3,107123312,'old|1|a',1700000034.0);
INSERT INTO maxin_asked VALUES(36,14,3,0,2092198561,'old|1|a',1700000036.0);
INSERT INTO maxin_asked VALUES(39,15,2,0,1203132238,'old|1|a',1700000039.0);
CREATE TABLE maxin_told (
  seq INTEGER NOT NULL,
  "match" BIGINT,
  first INTEGER NOT NULL,
  second INTEGER NOT NULL,
  score FLOAT NOT NULL,
  games TEXT,
  errors TEXT,
  data TEXT,
  source TEXT,
  line BIGINT,
  worker TEXT NOT NULL,
  time FLOAT NOT NULL,
  PRIMARY KEY (seq),
  UNIQUE ("match"),
  UNIQUE (source, line)
);
INSERT INTO maxin_told VALUES(7,1,2,3,1.0,'[1.0, 1.0]',NULL,NULL,NULL,NULL,'old|1|a',1700000007.0);
INSERT INTO maxin_told VALUES(9,2,0,2,1.0,'[1.0, 1.0]',NULL,NULL,NULL,NULL,'old|1|a',1700000009.0);
INSERT INTO maxin_told VALUES(11,3,1,4,1.0,'[1.0, 1.0]',NULL,NULL,NULL,NULL,'old|1|a',1700000011.0);
INSERT INTO maxin_told VALUES(13,4,4,3,0.25,'[0.5, 0.0]',NULL,NULL,NULL,NULL,'old|1|a',1700000013.0);
INSERT INTO maxin_told VALUES(17,6,3,2,0.25,'[0.5, 0.0]',NULL,NULL,NULL,NULL,'old|1|a',1700000017.0);
INSERT INTO maxin_told VALUES(19,7,2,0,0.0,NULL,'["slow"]','{"plies": 12}',NULL,NULL,'old|1|a',1700000019.0);
INSERT INTO maxin_told VALUES(21,8,3,1,0.25,'[0.5, 0.0]',NULL,NULL,NULL,NULL,'old|1|a',1700000021.0);
INSERT INTO maxin_told VALUES(23,9,1,2,1.0,'[1.0, 1.0]',NULL,NULL,NULL,NULL,'old|1|a',1700000023.0);
INSERT INTO maxin_told VALUES(26,10,2,1,0.25,'[0.0, 0.5]',NULL,NULL,NULL,NULL,'old|1|a',1700000026.0);
INSERT INTO maxin_told VALUES(28,NULL,0,2,1.0,NULL,NULL,NULL,'last-year.csv',1,'old|1|a',1700000028.0);
INSERT INTO maxin_told VALUES(29,NULL,2,3,0.5,NULL,NULL,NULL,'last-year.csv',2,'old|1|a',1700000029.0);
INSERT INTO maxin_told VALUES(31,11,0,4,1.0,'[1.0, 1.0]',NULL,NULL,NULL,NULL,'old|1|a',1700000031.0);
INSERT INTO maxin_told VALUES(33,12,4,1,0.25,'[0.0, 0.5]',NULL,NULL,NULL,NULL,'old|1|a',1700000033.0);
INSERT INTO maxin_told VALUES(35,13,1,3,1.0,'[1.0, 1.0]',NULL,NULL,NULL,NULL,'old|1|a',1700000035.0);
INSERT INTO maxin_told VALUES(37,14,3,0,0.25,'[0.5, 0.0]',NULL,NULL,NULL,NULL,'old|1|a',1700000037.0);
CREATE TABLE maxin_events (
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  "match" BIGINT,
  player INTEGER,
  first INTEGER,
  second INTEGER,
  detail TEXT NOT NULL,
  time FLOAT NOT NULL,
  PRIMARY KEY (seq)
);
INSERT INTO maxin_events VALUES(15,'void',5,NULL,NULL,NULL,'{"reason": "the board fell off the table"}',1700000015.0);
INSERT INTO maxin_events VALUES(38,'failed',2,NULL,NULL,NULL,'{"players": ["anna", "bo"], "attempt": 1, "reason": "exit code 1", "log": "oops"}',1700000038.0);
INSERT INTO maxin_events VALUES(40,'demand',NULL,NULL,3,1,'{}',1700000040.0);
CREATE TABLE maxin_leases (
  "match" BIGINT NOT NULL,
  worker TEXT NOT NULL,
  since FLOAT NOT NULL,
  until FLOAT NOT NULL,
  PRIMARY KEY ("match")
);
INSERT INTO maxin_leases VALUES(15,'old|1|a',1700000039.0,99000000000.0);
CREATE TABLE maxin_snapshots (
  seq INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  state BLOB NOT NULL,
  PRIMARY KEY (seq)
);
CREATE INDEX maxin_asked_match ON maxin_asked ("match");
INSERT INTO maxin_snapshots VALUES(30,'0123456789ab/0.1.0/2.0.0',X'789c4bad4e01000337013c');
